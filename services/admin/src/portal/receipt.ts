import {
  deliveryContracts,
  ingestContracts,
  receiptStoreContracts,
  type Delivery,
  type PacketView,
  type ReceiptLinks,
  type ReturnedReceipt,
} from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { field, problem, success } from '../pages/form-fields';
import { timeText } from '../pages/formats';
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

const fact = (name: string, value: string | null) =>
  value === null || value === ''
    ? undefined
    : html`<dt>${name}</dt>
        <dd>${value}</dd>`;

const voidOf = ({ voided }: ReturnedReceipt): string | null =>
  voided && [timeText(voided.timestamp), voided.reason].filter((part) => part !== null).join(', ');

function factsOf(receipt: ReturnedReceipt): Html {
  return html`<section class="card" aria-labelledby="facts">
    <h2 id="facts">About this receipt</h2>
    <dl>
      ${fact('Transaction', receipt.transaction_id)} ${fact('Customer', receipt.identifier ?? 'not assigned')}
      ${fact('Store', receipt.store_reference)} ${fact('Time', receipt.localtime)}
      ${fact('Duplicate', receipt.duplicate ? 'yes' : null)} ${fact('Voided', voidOf(receipt))}
      ${fact('Incomplete', receipt.incomplete ? 'yes' : null)} ${fact('External id', receipt.external_id)}
      ${fact('Till', receipt.till_uuid)} ${fact('Id', receipt.id)}
    </dl>
  </section>`;
}

function deliveriesOf({ deliveries, explain }: Shown): Html {
  const rows = deliveries.map(
    (delivery) =>
      html`<tr>
        <td>${timeText(delivery.requested_timestamp)}</td>
        <td>${delivery.channel}<small>${delivery.address}</small></td>
        <td>${delivery.status}${delivery.reason !== null && html`<small>${delivery.reason}</small>`}</td>
      </tr>`,
  );
  const steps = explain.map(
    ({ channel, step, passed, detail }) =>
      html`<li><strong>${channel}, ${step}:</strong> ${passed ? 'passed' : 'not passed'}. ${detail}</li>`,
  );
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
      steps.length > 0 &&
      html`<details>
        <summary>Why</summary>
        <ul>
          ${steps}
        </ul>
      </details>`
    }
  </section>`;
}

function packetsOf(packets: readonly PacketView[]): Html | undefined {
  if (packets.length === 0) return undefined;
  return html`<section class="card" aria-labelledby="packets">
    <h2 id="packets">From the till</h2>
    ${packets.map(
      (packet) =>
        html`<dl>
          ${fact('Packet', packet.id)} ${fact('Status', packet.status)} ${fact('Reason', packet.reason)}
          ${fact('Received', timeText(packet.received_timestamp))}
          ${fact('Attempts', String(packet.attempts))} ${fact('Type', packet.content_type)}
          ${fact('Size', `${packet.size} bytes`)}
          ${fact('Mapping', packet.mapping && `${packet.mapping.id}, version ${packet.mapping.version}`)}
        </dl>`,
    )}
  </section>`;
}

function actionsOf(who: SignedIn, receipt: ReturnedReceipt, base: string): Html {
  const form = (action: string, inside: Html, label: string) =>
    html`<form class="card" method="post" action="${base}/portal/receipts/${receipt.id}/${action}">
      <input type="hidden" name="csrf" value="${who.session.csrf}" />
      ${inside}
      <button>${label}</button>
    </form>`;
  const isFree = receipt.identifier === null;
  return html`${
    who.may('view.send_receipt') &&
    form(
      'send',
      html`<h2>Send it again</h2>
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
  const main = html`<p class="crumb"><a href="${base}/portal/">All receipts</a></p>
    <h1>${title}</h1>
    ${notes}
    <div class="columns">
      ${consumersPage(shown)}
      <div>
        ${factsOf(receipt)} ${actionsOf(who, receipt, base)} ${deliveriesOf(shown)}
        ${packetsOf(shown.packets)}
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
