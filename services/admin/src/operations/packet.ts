import { transformContracts, type adminContracts } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import type { Answer } from '@receipts/messaging';
import { problem } from '../pages/form-fields';
import { html, type Html } from '../pages/html';
import { leadTo, pageReply, type PageReply } from '../pages/reply';
import { checkForm, checkSameSite } from '../pages/same-site';
import { layout } from './layout';
import { ago, asJson, badge, table } from './parts';
import { packetsPath } from './packets';
import { audited, signedIn, toSignIn, type OperationsDeps, type Operator } from './signed-in';

type Tried = Answer<typeof transformContracts.tryPacket>['body'];

const charactersMax = 20_000;
const cut = (text: string) => (text.length <= charactersMax ? text : `${text.slice(0, charactersMax)}\n…`);

function factsOf({ packet }: Tried, retailer: string, now: Date): Html {
  const fact = (name: string, value: Html | string | null | undefined) =>
    value &&
    html`<dt>${name}</dt>
      <dd>${value}</dd>`;
  return html`<section class="card" aria-labelledby="facts">
    <h2 id="facts">Packet data</h2>
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
  const columns = ['Where', 'What'].map((head) => ({ head }));
  const rows = faults.map(({ path, code, message, line }) => [
    html`<code>${path === '' ? '/' : path}</code>${line !== undefined && html`<small>line ${line}</small>`}`,
    html`${message}<small>${code}</small>`,
  ]);
  return table(id, columns, rows);
}

function resultOf({ dry_run: run, mapping }: Tried): Html {
  if (!run) return html`<p class="empty">No mapping matches this packet. Choose one.</p>`;
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
      html`<h3 id="made">Result</h3>
        <pre tabindex="0">${cut(JSON.stringify(receipts, null, 2))}</pre>`
    }
    <details>
      <summary>Input of the expression</summary>
      <pre tabindex="0">${cut(JSON.stringify(run.decoded, null, 2))}</pre>
    </details>`;
}

/** What `POST /operator/retailers/{id}/packets/{packet_id}/_dry_run` says. */
export function packetView(
  tried: Tried,
  retailer: string,
  { base, now, csrf }: { readonly base: string; readonly now: Date; readonly csrf: string },
): Html {
  const { packet, raw, mappings } = tried;
  const path = `${packetsPath}/${encodeURIComponent(retailer)}/${encodeURIComponent(packet.id)}`;
  return html`<p class="crumb"><a href="${base}${packetsPath}">Failed packets</a></p>
    <h1>Packet <code>${packet.id}</code></h1>
    <div class="columns">
      <div>
        ${factsOf(tried, retailer, now)}
        ${
          packet.errors.length > 0 &&
          html`<section class="card" aria-labelledby="errors">
            <h2 id="errors">Why it failed</h2>
            ${faultsTable('errors', packet.errors)}
          </section>`
        }
        <section class="card" aria-labelledby="raw">
          <h2 id="raw">Its bytes ${!raw.is_whole && badge('warn', 'the beginning')}</h2>
          ${
            raw.text === null
              ? html`<p class="empty">Binary data</p>`
              : html`<pre tabindex="0">${cut(raw.text)}</pre>`
          }
        </section>
      </div>
      <section class="card" aria-labelledby="dry-run">
        <h2 id="dry-run">Dry run</h2>
        <form class="filter" method="post" action="${base}${path}">
          <input type="hidden" name="csrf" value="${csrf}" />
          <div class="field">
            <label for="mapping">Mapping</label>
            <select id="mapping" name="mapping">
              ${mappings.map((id) => html`<option ${id === tried.mapping && html`selected`}>${id}</option>`)}
            </select>
          </div>
          <button>Run</button>
        </form>
        ${resultOf(tried)}
      </section>
    </div>
    ${asJson(`/operator/retailers/${encodeURIComponent(retailer)}/packets/${encodeURIComponent(packet.id)}/_dry_run`, 'POST')}`;
}

interface Named {
  readonly retailer: string;
  readonly packet: string;
}

/** Tries the packet with the given mapping, otherwise with its own one, or with none if that no longer exists. */
async function tryOut(deps: OperationsDeps, who: Operator, { retailer, packet }: Named, mapping?: string) {
  const params = { id: retailer, packet_id: packet };
  const input = { params, body: mapping ? { mapping } : {} };
  return (await deps.ask(transformContracts.tryPacket, input, who.call)).body;
}

async function packetPage(
  deps: OperationsDeps,
  who: Operator,
  named: Named,
  act: () => Promise<Tried>,
): Promise<PageReply> {
  const { base, now } = deps;
  const reply = (main: Html, status: number) =>
    pageReply(layout({ title: 'A packet', main, who, place: packetsPath, base }), status);
  try {
    const around = { base, now: now(), csrf: who.session.csrf };
    return reply(packetView(await act(), named.retailer, around), 200);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status >= 500) throw error;
    const crumb = html`<p class="crumb"><a href="${base}${packetsPath}">Failed packets</a></p>`;
    return reply(
      html`${crumb}
        <h1>Packet <code>${named.packet}</code></h1>
        ${problem(error.description)}`,
      error.status,
    );
  }
}

/** Viewing a retailer's data is audited too, unlike viewing figures of the platform. */
const noted = (retailer: string, path: string, fields: readonly string[]) => ({
  ...{ operation: 'try-packet', path, retailer, fields },
});

export function operationsPacket(deps: OperationsDeps): Handler<(typeof adminContracts)['operationsPacket']> {
  return async ({ params, headers }, call) => {
    const who = await signedIn(deps, headers, call);
    if (!who) return toSignIn(packetsPath);
    const action = noted(params.retailer, packetsPath, []);
    return packetPage(deps, who, params, () =>
      audited(deps, who, headers, action, () => tryOut(deps, who, params)),
    );
  };
}

export function operationsTryPacket(
  deps: OperationsDeps,
): Handler<(typeof adminContracts)['operationsTryPacket']> {
  return async ({ params, headers, body }, call) => {
    checkSameSite(headers);
    const who = await signedIn(deps, headers, call);
    if (!who) return toSignIn(packetsPath);
    checkForm(who.session, body.csrf);
    const { mapping } = body;
    if (!mapping) return leadTo(`${packetsPath}/${params.retailer}/${params.packet}`);
    const action = noted(params.retailer, packetsPath, ['mapping']);
    return packetPage(deps, who, params, () =>
      audited(deps, who, headers, action, () => tryOut(deps, who, params, mapping)),
    );
  };
}
