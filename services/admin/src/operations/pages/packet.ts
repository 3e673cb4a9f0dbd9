import { transformContracts } from '@receipts/contracts';
import type { ReceivedReply } from '@receipts/kernel';
import { postForm, problem, selectField } from '../../pages/form-fields';
import { html, type Html } from '@receipts/html';
import { badge, fact, table } from '../../pages/table';
import { redirectTo } from '../../pages/reply';
import { ago, asJson } from './parts';
import { packetPath, packetsPath } from './packets';
import type { HandlerOf, Operations } from '../open-operations';
import { operatorForm, operatorPage, orRefused } from './page';
import { audited, type Operator, type SentHeaders } from './signed-in';

type DryRunResult = ReceivedReply<typeof transformContracts.dryRunPacket>['body'];

const charactersMax = 20_000;
const cut = (text: string) => (text.length <= charactersMax ? text : `${text.slice(0, charactersMax)}\n…`);

function packetSummary({ packet }: DryRunResult, retailer: string, now: Date): Html {
  return html`<section class="card" aria-labelledby="facts">
    <h2 id="facts">Packet</h2>
    <dl>
      ${fact('Retailer', retailer)}
      ${fact('Status', badge(packet.status === 'failed' ? 'bad' : 'good', packet.status))}
      ${fact('Reason', packet.reason && html`<code>${packet.reason}</code>`)}
      ${fact('Arrived', ago(packet.received_timestamp, now))} ${fact('Attempts', String(packet.attempts))}
      ${fact('Type', packet.content_type)} ${fact('Size', `${packet.size} bytes`)}
      ${fact('Mapping', packet.mapping && `${packet.mapping.id}, version ${packet.mapping.version}`)}
      ${fact('Store', packet.metadata.store_reference)} ${fact('Till', packet.metadata.till_id)}
    </dl>
  </section>`;
}

function faultsTable(
  id: string,
  faults: readonly { path: string; code: string; message: string; line?: number | undefined }[],
) {
  const columns = ['Path', 'Error'];
  const rows = faults.map(({ path, code, message, line }) => [
    html`<code>${path === '' ? '/' : path}</code>${line !== undefined && html`<small>line ${line}</small>`}`,
    html`${message}<small>${code}</small>`,
  ]);
  return table(id, columns, rows);
}

function resultOf({ dry_run: run, mapping }: DryRunResult): Html {
  if (!run) return html`<p class="empty">The packet has no mapping: choose a mapping.</p>`;
  const { errors, receipts } = run;
  const many = receipts.length === 1 ? '1 receipt' : `${receipts.length} receipts`;
  return html`<p>
      ${errors.length === 0 ? badge('good', many) : badge('bad', 'still fails')}
      <span class="soft">with the newest version of ${mapping}, in ${run.time} ms</span>
    </p>
    ${
      errors.length > 0 &&
      html`<h3 id="faults">Errors</h3>
        ${faultsTable('faults', errors)}`
    }
    ${
      receipts.length > 0 &&
      html`<h3 id="made">Receipts</h3>
        <pre tabindex="0">${cut(JSON.stringify(receipts, null, 2))}</pre>`
    }
    <details>
      <summary>Input of the expression</summary>
      <pre tabindex="0">${cut(JSON.stringify(run.decoded, null, 2))}</pre>
    </details>`;
}

/** The response of `POST /operator/retailers/{id}/packets/{packet_id}/_dry_run`. */
export function packetView(
  tried: DryRunResult,
  retailer: string,
  { base, now, csrf }: { readonly base: string; readonly now: Date; readonly csrf: string },
): Html {
  const { packet, raw, mappings } = tried;
  const options = mappings.map((id) => ({ value: id, label: id }));
  const dryRun = html`${selectField({ name: 'mapping', label: 'Mapping', value: tried.mapping ?? undefined, options })}
    <button>Run</button>`;
  return html`<p class="crumb"><a href="${base}${packetsPath}">Failed packets</a></p>
    <h1>Packet <code>${packet.id}</code></h1>
    <div class="columns">
      <div>
        ${packetSummary(tried, retailer, now)}
        ${
          packet.errors.length > 0 &&
          html`<section class="card" aria-labelledby="errors">
            <h2 id="errors">Why it failed</h2>
            ${faultsTable('errors', packet.errors)}
          </section>`
        }
        <section class="card" aria-labelledby="raw">
          <h2 id="raw">Content ${!raw.is_whole && badge('warn', 'truncated')}</h2>
          ${
            raw.text === null
              ? html`<p class="empty">Binary data</p>`
              : html`<pre tabindex="0">${cut(raw.text)}</pre>`
          }
        </section>
      </div>
      <section class="card" aria-labelledby="dry-run">
        <h2 id="dry-run">Dry run</h2>
        ${postForm(`${base}${packetPath(retailer, packet.id)}`, csrf, dryRun, { className: 'filter' })}
        ${resultOf(tried)}
      </section>
    </div>
    ${asJson(`/operator/retailers/${encodeURIComponent(retailer)}/packets/${encodeURIComponent(packet.id)}/_dry_run`, 'POST')}`;
}

interface PacketRef {
  readonly retailer: string;
  readonly packet: string;
}

/**
 * A dry run with the given mapping, otherwise with the packet's own mapping, or without a mapping if that mapping no
 * longer exists. Viewing a retailer's data is audited too, unlike viewing figures about the platform.
 */
function dryRunPage(
  operations: Operations,
  headers: SentHeaders,
  who: Operator,
  ref: PacketRef,
  mapping?: string,
) {
  const { ask, base, now } = operations;
  const params = { id: ref.retailer, packet_id: ref.packet };
  const action = {
    operation: 'dry-run-packet',
    path: packetsPath,
    retailer: ref.retailer,
    fields: mapping ? ['mapping'] : [],
  };
  const run = async () =>
    (await ask(transformContracts.dryRunPacket, { params, body: mapping ? { mapping } : {} }, who.call)).body;
  return orRefused(
    async () => {
      const result = await audited(operations, who, headers, action, run);
      return packetView(result, ref.retailer, { base, now: now(), csrf: who.session.csrf });
    },
    ({ description }) =>
      html`<p class="crumb"><a href="${base}${packetsPath}">Failed packets</a></p>
        <h1>Packet <code>${ref.packet}</code></h1>
        ${problem(description)}`,
  );
}

const facts = { title: 'A packet', menuPath: packetsPath } as const;

export const operationsPacket = (operations: Operations): HandlerOf<'operationsPacket'> =>
  operatorPage(operations, facts, (who, { params, headers }) => dryRunPage(operations, headers, who, params));

export const operationsDryRunPacket = (operations: Operations): HandlerOf<'operationsDryRunPacket'> =>
  operatorForm(operations, facts, async (who, { params, headers, body: { mapping } }) =>
    mapping
      ? dryRunPage(operations, headers, who, params, mapping)
      : redirectTo(packetPath(params.retailer, params.packet)),
  );
