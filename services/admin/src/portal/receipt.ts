import {
  deliveryContracts,
  ingestContracts,
  receiptStoreContracts,
  unassignPermission,
  type Delivery,
  type PacketView,
  type ReceiptLinks,
  type ReturnedReceipt,
} from '@receipts/contracts';
import { groupBy } from '@receipts/concurrency';
import { type Answer, type ServiceError } from '@receipts/kernel';
import { field, postForm, problem, success } from '../pages/form-fields';
import { html, type Html } from '../pages/html';
import { messageKey, type Language } from '../pages/language';
import { orUndefined, refusalIn } from '../pages/refusal';
import { redirectTo, type PageReply } from '../pages/reply';
import { fact, table } from '../pages/table';
import { doneText, type DoneTexts } from './done-text';
import { faultText } from './fault-text';
import { pageFor } from './layout';
import { receiptFrame } from './receipt-frame';
import { checkPermission, signedIn, type SignedIn } from './signed-in';
import type { Endpoint, Portal } from './open-portal';

const packetsMax = 5;
const doneTexts: DoneTexts = {
  sent: 'receipt.sent',
  assigned: 'receipt.assigned',
  unassigned: 'receipt.unassigned',
};

type Explain = Answer<typeof deliveryContracts.listDeliveries>['body']['explain'];

interface Shown {
  readonly receipt: ReturnedReceipt;
  /** What the consumer sees. */
  readonly page: { readonly html: string; readonly contentSecurityPolicy: string } | undefined;
  readonly links: ReceiptLinks | undefined;
  readonly deliveries: readonly Delivery[];
  readonly explain: Explain;
  readonly packets: readonly PacketView[];
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

const voidOf = ({ voided }: ReturnedReceipt, { language, retailer }: SignedIn): string | null =>
  voided &&
  [language.time(voided.timestamp, retailer.settings.timezone), voided.reason]
    .filter((part) => part !== null)
    .join(', ');

const storeText = ({ store, store_reference }: ReturnedReceipt) =>
  store.name ? `${store.name} (${store_reference})` : String(store_reference);

function factsOf(receipt: ReturnedReceipt, who: SignedIn): Html {
  const { t, localTime } = who.language;
  return html`<section class="card" aria-labelledby="facts">
    <h2 id="facts">${t('receipt.about')}</h2>
    <dl>
      ${fact(t('find.transaction'), receipt.transaction_id)}
      ${fact(t('receipt.customer'), receipt.identifier ?? t('notAssigned'))}
      ${fact(t('store'), storeText(receipt))} ${fact(t('time'), localTime(receipt.localtime))}
      ${fact(t('receipt.duplicate'), receipt.duplicate ? t('yes') : null)}
      ${fact(t('receipt.voided'), voidOf(receipt, who))}
      ${fact(t('receipt.incomplete'), receipt.incomplete ? t('yes') : null)}
      ${fact(t('receipt.externalId'), receipt.external_id)} ${fact(t('till'), receipt.till_uuid)}
      ${fact(t('receipt.id'), receipt.id)}
    </dl>
  </section>`;
}

/** Which channels can be used, and why the others cannot. */
function channelsOf(explain: Explain, { t }: Language): readonly Html[] {
  return [...groupBy(explain, ({ channel }) => channel).entries()].map(([channel, steps]) => {
    const failed = steps.filter(({ passed }) => !passed);
    const reasons = failed.map(({ step, detail }) => {
      const key = messageKey(`step.${step}`);
      return key ? t(key) : detail;
    });
    return html`<li>
      <strong>${t(`channel.${channel}`)}</strong>: ${t(failed.length > 0 ? 'receipt.cannot' : 'receipt.can')},
      ${reasons.join(', ') || t('step.ready')}.
    </li>`;
  });
}

function deliveriesOf({ deliveries, explain }: Shown, { language, retailer }: SignedIn): Html {
  const { t, time } = language;
  const columns = [t('receipt.requested'), t('receipt.channel'), t('status')];
  const rows = deliveries.map((delivery) => [
    time(delivery.requested_timestamp, retailer.settings.timezone),
    html`${t(`channel.${delivery.channel}`)}<small>${delivery.address}</small>`,
    html`${t(`status.${delivery.status}`)}${delivery.reason !== null && html`<small>${delivery.reason}</small>`}`,
  ]);
  const usable = channelsOf(explain, language);
  return html`<section class="card" aria-labelledby="deliveries">
    <h2 id="deliveries">${t('receipt.deliveries')}</h2>
    ${rows.length === 0 ? html`<p class="empty">${t('receipt.notSent')}</p>` : table('deliveries', columns, rows)}
    ${
      usable.length > 0 &&
      html`<details>
        <summary>${t('receipt.channels')}</summary>
        <ul>
          ${usable}
        </ul>
      </details>`
    }
  </section>`;
}

const packetLink = ({ id }: PacketView, who: SignedIn) =>
  who.may('view.manage_mapping')
    ? html`<a href="${who.base}/portal/mappings/workbench?packet=${id}">${id}</a>`
    : id;

function packetsOf(packets: readonly PacketView[], who: SignedIn): Html | undefined {
  if (packets.length === 0) return undefined;
  const { t, plural, time } = who.language;
  return html`<section class="card" aria-labelledby="packets">
    <h2 id="packets">${t('receipt.fromTill')}</h2>
    ${packets.map(
      (packet) =>
        html`<dl>
          ${fact(t('packet'), packetLink(packet, who))} ${fact(t('status'), t(`status.${packet.status}`))}
          ${fact(t('reason'), packet.reason && t(`packetReason.${packet.reason}`))}
          ${fact(t('received'), time(packet.received_timestamp, who.retailer.settings.timezone))}
          ${fact(t('receipt.attempts'), String(packet.attempts))} ${fact(t('type'), packet.content_type)}
          ${fact(t('receipt.size'), plural('bytes', packet.size))}
          ${fact(t('receipt.mapping'), packet.mapping && t('receipt.mappingVersion', packet.mapping))}
        </dl>`,
    )}
  </section>`;
}

function actionsOf(who: SignedIn, { receipt, deliveries }: Shown): Html {
  const { t } = who.language;
  const form = (action: string, inside: Html, label: string) =>
    postForm(
      `${who.base}/portal/receipts/${receipt.id}/${action}`,
      who.session.csrf,
      html`${inside} <button>${label}</button>`,
      'card',
    );
  const isFree = receipt.identifier === null;
  return html`${
    who.may('view.send_receipt') &&
    form(
      'send',
      html`<h2>${t(deliveries.length === 0 ? 'receipt.send' : 'receipt.sendAgain')}</h2>
        ${field({ name: 'email', label: t('email'), type: 'email', hint: t('receipt.sendHint') })}`,
      t('receipt.sendButton'),
    )
  }
  ${
    who.may('view.assign_receipt') &&
    isFree &&
    form(
      'assign',
      html`<h2>${t('receipt.assign')}</h2>
        ${field({ name: 'identifier', label: t('receipt.assignTo'), required: true })}`,
      t('receipt.assignButton'),
    )
  }
  ${
    who.may('view.post_gift_receipt') &&
    receipt.voided === null &&
    form(
      'gift',
      html`<h2>${t('receipt.gift')}</h2>
        <p class="soft">${t('receipt.giftHint')}</p>`,
      t('receipt.giftButton'),
    )
  }`;
}

function consumersPage({ page, links }: Shown, language: Language): Html {
  const { t } = language;
  return html`<section aria-labelledby="page">
    <h2 id="page">${t('receipt.consumer')}</h2>
    ${page ? receiptFrame(page.html, language) : html`<p class="card empty">${t('receipt.noPage')}</p>`}
    ${
      links &&
      html`<div class="actions">
        <a class="button quiet" href="${links.webview.href}">${t('receipt.page')}</a>
        <a class="button quiet" href="${links.pdf.href}">PDF</a>
      </div>`
    }
  </section>`;
}

function receiptReply(who: SignedIn, shown: Shown, notes: Html, status?: number): PageReply {
  const { receipt, page } = shown;
  const { t } = who.language;
  const title = t('receipt.title', { number: receipt.transaction_id });
  const main = html`<p class="crumb"><a href="${who.base}/portal/">${t('receipt.all')}</a></p>
    <h1>${title}</h1>
    ${notes}
    <div class="columns">
      ${consumersPage(shown, who.language)}
      <div>
        ${factsOf(receipt, who)} ${actionsOf(who, shown)} ${deliveriesOf(shown, who)}
        ${packetsOf(shown.packets, who)}
      </div>
    </div>`;
  const path = `/portal/receipts/${receipt.id}`;
  const documentPolicy = page?.contentSecurityPolicy;
  return pageFor(who, { title, main, place: '/portal/', path }, status, { documentPolicy });
}

function undoForm({ id, identifier }: ReturnedReceipt, who: SignedIn): Html | false {
  if (identifier === null || !who.may(unassignPermission)) return false;
  const inside = html`<input type="hidden" name="identifier" value="${identifier}" />
    <button class="quiet">${who.language.t('receipt.undo')}</button>`;
  return postForm(`${who.base}/portal/receipts/${id}/unassign`, who.session.csrf, inside, 'above');
}

/** The page of a receipt, or an error page. */
export async function receiptPage(
  deps: Portal,
  who: SignedIn,
  id: string,
  notes: { readonly done?: string | undefined; readonly fault?: ServiceError },
): Promise<PageReply> {
  const { done, fault } = notes;
  const { t } = who.language;
  try {
    const shown = await gather(deps, who, id);
    const said = html`${problem(fault && faultText(fault, who.language))}
    ${success(doneText(doneTexts, done, who.language))} ${done === 'assigned' && undoForm(shown.receipt, who)}`;
    return receiptReply(who, shown, said, fault?.status);
  } catch (error) {
    const refusal = refusalIn(error);
    const title = t(refusal.status === 409 ? 'receipt.pending' : 'receipt.notFound');
    const main = html`<p class="crumb"><a href="${who.base}/portal/">${t('receipt.all')}</a></p>
      <h1>${title}</h1>
      ${problem(faultText(refusal, who.language))}`;
    return pageFor(who, { title, main, place: '/portal/' }, refusal.status);
  }
}

export function portalReceipt(deps: Portal): Endpoint<'portalReceipt'> {
  return async ({ params, query, headers }, call) => {
    const who = await signedIn(deps, headers, call);
    if (!who) {
      const next = new URLSearchParams({ next: `/portal/receipts/${params.id}` });
      return redirectTo(`/portal/sign-in?${next.toString()}`);
    }
    return receiptPage(deps, who, params.id, { done: query.done });
  };
}
