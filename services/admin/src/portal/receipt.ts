import {
  deliveryContracts,
  ingestContracts,
  receiptStoreContracts,
  type Delivery,
  type PacketView,
  type ReceiptLinks,
  type ReturnedReceipt,
} from '@receipts/contracts';
import { groupBy, ServiceError } from '@receipts/kernel';
import { field, postForm, problem, success } from '../pages/form-fields';
import { localTimeText, timeText } from '../pages/formats';
import { html, type Html } from '../pages/html';
import { redirectTo, pageReply, withDocument, type PageReply } from '../pages/reply';
import { layout } from './layout';
import { receiptFrame } from './receipt-frame';
import { checkPermission, signedIn, type SignedIn } from './signed-in';
import type { Endpoint, Portal } from './open-portal';

const packetsMax = 5;
const doneTexts: Readonly<Record<string, string>> = {
  sent: 'The receipt is being sent.',
  assigned: 'The receipt was assigned.',
};

interface Shown {
  readonly receipt: ReturnedReceipt;
  /** What the consumer sees. */
  readonly page: { readonly html: string; readonly contentSecurityPolicy: string } | undefined;
  readonly links: ReceiptLinks | undefined;
  readonly deliveries: readonly Delivery[];
  readonly explain: readonly { channel: string; step: string; passed: boolean; detail: string }[];
  readonly packets: readonly PacketView[];
}

/** Undefined if a part of the page is currently unavailable; the other parts are still shown. */
async function orUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch((error: unknown) => {
    if (error instanceof ServiceError) return undefined;
    throw error;
  });
}

/** @throws ServiceError 404; 409 while the receipt is being processed */
async function gather({ ask }: Portal, who: SignedIn, id: string): Promise<Shown> {
  checkPermission(who, 'view.get_receipt');
  const { call } = who;
  const receipt = (await ask(receiptStoreContracts.getReceipt, { params: { id }, query: {} }, call)).body;
  const packetIds = who.may('view.get_packet') ? receipt.pos_data_ids.slice(0, packetsMax) : [];
  const [page, links, sent, ...packets] = await Promise.all([
    orUndefined(ask(deliveryContracts.renderReceipt, { body: { receipt } }, call)),
    orUndefined(ask(deliveryContracts.getReceiptLinks, { params: { id }, query: {} }, call)),
    orUndefined(ask(deliveryContracts.listDeliveries, { params: { id }, query: {} }, call)),
    ...packetIds.map((packet) =>
      orUndefined(ask(ingestContracts.getPacket, { params: { id: packet } }, call)),
    ),
  ]);
  return {
    receipt,
    page: page?.body,
    links: links?.body._links,
    deliveries: sent?.body.deliveries ?? [],
    explain: sent?.body.explain ?? [],
    packets: packets.flatMap((packet) => (packet ? [packet.body] : [])),
  };
}

const fact = (name: string, value: string | Html | null) =>
  value === null || value === ''
    ? undefined
    : html`<dt>${name}</dt>
        <dd>${value}</dd>`;

const voidOf = ({ voided }: ReturnedReceipt, timeZone: string): string | null =>
  voided &&
  [localTimeText(voided.timestamp, timeZone), voided.reason].filter((part) => part !== null).join(', ');

const storeText = ({ store, store_reference }: ReturnedReceipt) =>
  store.name ? `${store.name} (${store_reference})` : String(store_reference);

function factsOf(receipt: ReturnedReceipt, timeZone: string): Html {
  return html`<section class="card" aria-labelledby="facts">
    <h2 id="facts">About this receipt</h2>
    <dl>
      ${fact('Transaction', receipt.transaction_id)} ${fact('Customer', receipt.identifier ?? 'not assigned')}
      ${fact('Store', storeText(receipt))} ${fact('Time', timeText(receipt.localtime))}
      ${fact('Duplicate', receipt.duplicate ? 'yes' : null)} ${fact('Voided', voidOf(receipt, timeZone))}
      ${fact('Incomplete', receipt.incomplete ? 'yes' : null)} ${fact('External id', receipt.external_id)}
      ${fact('Till', receipt.till_uuid)} ${fact('Id', receipt.id)}
    </dl>
  </section>`;
}

const channelNames: Readonly<Record<string, string>> = { email: 'E-mail', sms: 'SMS', whatsapp: 'WhatsApp' };

/** Which channels can be used, and why not the others. */
function channelsOf(explain: Shown['explain']): readonly Html[] {
  return [...groupBy(explain, ({ channel }) => channel)].map(([channel, steps]) => {
    const failed = steps.filter(({ passed }) => !passed);
    const reasons = (failed.length === 0 ? steps : failed).map(({ detail }) => detail).join(', ');
    return html`<li>
      <strong>${channelNames[channel] ?? channel}</strong> can${failed.length > 0 && 'not'} be used:
      ${reasons}.
    </li>`;
  });
}

function deliveriesOf({ deliveries, explain }: Shown, timeZone: string): Html {
  const rows = deliveries.map(
    (delivery) =>
      html`<tr>
        <td>${localTimeText(delivery.requested_timestamp, timeZone)}</td>
        <td>${delivery.channel}<small>${delivery.address}</small></td>
        <td>${delivery.status}${delivery.reason !== null && html`<small>${delivery.reason}</small>`}</td>
      </tr>`,
  );
  const usable = channelsOf(explain);
  return html`<section class="card" aria-labelledby="deliveries">
    <h2 id="deliveries">Deliveries</h2>
    ${
      rows.length === 0
        ? html`<p class="empty">The receipt has not been sent yet.</p>`
        : html`<table aria-labelledby="deliveries">
            <thead>
              <tr>
                <th scope="col">Requested</th>
                <th scope="col">Channel</th>
                <th scope="col">Status</th>
              </tr>
            </thead>
            <tbody>
              ${rows}
            </tbody>
          </table>`
    }
    ${
      usable.length > 0 &&
      html`<details>
        <summary>Which channels can be used</summary>
        <ul>
          ${usable}
        </ul>
      </details>`
    }
  </section>`;
}

const packetLink = ({ id }: PacketView, who: SignedIn, base: string) =>
  who.may('view.manage_mapping')
    ? html`<a href="${base}/portal/mappings/workbench?packet=${id}">${id}</a>`
    : id;

function packetsOf(packets: readonly PacketView[], who: SignedIn, base: string): Html | undefined {
  if (packets.length === 0) return undefined;
  return html`<section class="card" aria-labelledby="packets">
    <h2 id="packets">From the till</h2>
    ${packets.map(
      (packet) =>
        html`<dl>
          ${fact('Packet', packetLink(packet, who, base))} ${fact('Status', packet.status)}
          ${fact('Reason', packet.reason)}
          ${fact('Received', localTimeText(packet.received_timestamp, who.retailer.settings.timezone))}
          ${fact('Attempts', String(packet.attempts))} ${fact('Type', packet.content_type)}
          ${fact('Size', `${packet.size} bytes`)}
          ${fact('Mapping', packet.mapping && `${packet.mapping.id}, version ${packet.mapping.version}`)}
        </dl>`,
    )}
  </section>`;
}

function actionsOf(who: SignedIn, { receipt, deliveries }: Shown, base: string): Html {
  const form = (action: string, inside: Html, label: string) =>
    postForm(
      `${base}/portal/receipts/${receipt.id}/${action}`,
      who.session.csrf,
      html`${inside} <button>${label}</button>`,
      'card',
    );
  const isFree = receipt.identifier === null;
  return html`${
    who.may('view.send_receipt') &&
    form(
      'send',
      html`<h2>${deliveries.length === 0 ? 'Send it' : 'Send it again'}</h2>
        ${field({ name: 'email', label: 'E-mail', type: 'email', hint: 'Leave empty to use the known address.' })}`,
      'Send',
    )
  }
  ${
    who.may('view.assign_receipt') &&
    isFree &&
    form(
      'assign',
      html`<h2>Assign it</h2>
        ${field({ name: 'identifier', label: 'Card or e-mail of the customer', required: true })}`,
      'Assign',
    )
  }`;
}

function consumersPage({ page, links }: Shown): Html {
  return html`<section aria-labelledby="page">
    <h2 id="page">What the consumer sees</h2>
    ${page ? receiptFrame(page.html) : html`<p class="card empty">The page is currently not available.</p>`}
    ${
      links &&
      html`<div class="actions">
        <a class="button quiet" href="${links.webview.href}">Page</a>
        <a class="button quiet" href="${links.pdf.href}">PDF</a>
      </div>`
    }
  </section>`;
}

function receiptView(who: SignedIn, shown: Shown, base: string, notes: Html): Html {
  const { receipt } = shown;
  const title = `Receipt ${receipt.transaction_id}`;
  const { timezone } = who.retailer.settings;
  const main = html`<p class="crumb"><a href="${base}/portal/">All receipts</a></p>
    <h1>${title}</h1>
    ${notes}
    <div class="columns">
      ${consumersPage(shown)}
      <div>
        ${factsOf(receipt, timezone)} ${actionsOf(who, shown, base)} ${deliveriesOf(shown, timezone)}
        ${packetsOf(shown.packets, who, base)}
      </div>
    </div>`;
  return layout({ title, main, user: who, place: '/portal/', base });
}

/** The page of a receipt, or an error page. */
export async function receiptPage(
  deps: Portal,
  who: SignedIn,
  id: string,
  notes: { readonly done?: string | undefined; readonly fault?: ServiceError },
): Promise<PageReply> {
  const { base } = deps;
  const { done, fault } = notes;
  try {
    const shown = await gather(deps, who, id);
    const said = html`${problem(fault?.description)}
    ${success(done === undefined ? undefined : doneTexts[done])}`;
    const reply = pageReply(receiptView(who, shown, base, said), fault?.status ?? 200);
    return shown.page ? withDocument(reply, shown.page.contentSecurityPolicy) : reply;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status >= 500) throw error;
    const title = error.status === 409 ? 'Not yet processed' : 'Receipt not found';
    const main = html`<p class="crumb"><a href="${base}/portal/">All receipts</a></p>
      <h1>${title}</h1>
      ${problem(error.description)}`;
    return pageReply(layout({ title, main, user: who, place: '/portal/', base }), error.status);
  }
}

export function portalReceipt(deps: Portal): Endpoint<'portalReceipt'> {
  return async ({ params, query, headers }, call) => {
    const who = await signedIn(deps, headers.cookie, call);
    if (!who) {
      const next = new URLSearchParams({ next: `/portal/receipts/${params.id}` });
      return redirectTo(`/portal/sign-in?${next.toString()}`);
    }
    return receiptPage(deps, who, params.id, { done: query.done });
  };
}
