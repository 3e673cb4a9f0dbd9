import { html, type Html } from '@receipts/html';
import type { ErrorDefinition } from '@receipts/kernel';
import type { Page } from '../http/pages';
import type { Frame } from './docs-frame';
import { isMounted, type Contracts } from '../http/routes';
import { reasonOf } from '../http/responder';
import { errorsOf } from './errors';
import { errorAdvice } from './error-advice';
import { failureAdvice } from './failure-advice';
import { inline } from './description-html';

interface Entry {
  readonly definitions: ErrorDefinition[];
  readonly operations: string[];
}

function entriesOf(contracts: readonly Contracts[]): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const contract of contracts.flatMap((owned) => Object.values(owned)).filter(isMounted)) {
    for (const definition of errorsOf(contract)) {
      const code = definition.code ?? reasonOf(definition.status).replaceAll(' ', '_');
      const entry = entries.get(code) ?? { definitions: [], operations: [] };
      entries.set(code, entry);
      const { status, description } = definition;
      if (!entry.definitions.some((known) => known.status === status && known.description === description)) {
        entry.definitions.push(definition);
      }
      entry.operations.push(`${contract.http.method} ${contract.http.path}`);
    }
  }
  return new Map([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const operationsShownMax = 12;

/** The addresses of the operations' documentation, by method and path, such as `POST /receipts`. */
export type OperationAddresses = ReadonlyMap<string, string>;

/** Pages for browsers return errors too, but are not among the documented operations. */
function operationsOf({ operations }: Entry, addresses: OperationAddresses): Html {
  const unique = [...new Set(operations)];
  const items = unique.map((operation) => {
    const name = html`<code>${operation}</code>`;
    const address = addresses.get(operation);
    return html`<li>${address === undefined ? name : html`<a href="${address}">${name}</a>`}</li>`;
  });
  const list = html`<ul>
    ${items}
  </ul>`;
  return unique.length > operationsShownMax
    ? html`<details>
        <summary>${unique.length} operations</summary>
        ${list}
      </details>`
    : list;
}

function articleOf(code: string, entry: Entry, addresses: OperationAddresses): Html {
  const advice = errorAdvice[code];
  if (!advice) throw new Error(`error-advice.ts does not explain ${code}`);
  const forms = entry.definitions.map(
    ({ status, description }) => html`<li><span class="status">${status}</span> ${description}</li>`,
  );
  return html`<h1><code>${code}</code></h1>
    <ul>
      ${forms}
    </ul>
    <h2>Why</h2>
    <p>${inline(advice.cause)}</p>
    <h2>What to do</h2>
    <p>${inline(advice.cure)}</p>
    <h2>Where</h2>
    ${operationsOf(entry, addresses)}`;
}

/** A section for each reason why the conversion of a packet fails. */
function failureSections(): Html {
  const sections = Object.entries(failureAdvice).map(
    ([reason, { cause, cure }]) =>
      html`<h2 id="${reason}"><code>${reason}</code></h2>
        <p>${inline(cause)} ${inline(cure)}</p>`,
  );
  return html`<h1>Failed packets</h1>
    <p>The <code>reason</code> of a packet that could not be converted.</p>
    ${sections}`;
}

/** `/docs/errors`, and a page for each code with its causes and solutions. `frame` adds the page's frame. */
export function errorPages(
  contracts: readonly Contracts[],
  addresses: OperationAddresses,
  frame: Frame,
): Page[] {
  const entries = entriesOf(contracts);
  const rows = [...entries].map(([code, { definitions }]) => {
    const statuses = [...new Set(definitions.map(({ status }) => status))].join(', ');
    return html`<tr>
      <td>
        <a href="errors/${code}"><code>${code}</code></a>
      </td>
      <td>${statuses}</td>
      <td>${definitions[0]?.description}</td>
    </tr>`;
  });
  const list = html`<h1>Errors</h1>
    <p>Every error has a stable <code>code</code>.</p>
    <table>
      ${rows}
    </table>
    <p>See also <a href="failed-packets">why packets fail</a>.</p>`;
  return [
    { path: '/docs/errors', ...frame('Errors', list, '/docs/errors') },
    { path: '/docs/failed-packets', ...frame('Failed packets', failureSections(), '/docs/failed-packets') },
    ...[...entries].map(([code, entry]) => ({
      path: `/docs/errors/${code}`,
      ...frame(
        code,
        html`<p><a href="../errors">All errors</a></p>
          ${articleOf(code, entry, addresses)}`,
      ),
    })),
  ];
}
