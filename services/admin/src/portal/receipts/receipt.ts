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
import type { ReceivedReply, ServiceError } from '@receipts/kernel';
import { field, postForm, problem, success } from '../../pages/form-fields';
import { html, type Html } from '@receipts/html';
import type { Language } from '../../pages/language';
import { orUndefined, refusalIn } from '../../pages/refusal';
import { redirectTo, type PageReply } from '../../pages/reply';
import { badge, fact } from '../../pages/table';
import { doneText, type DoneTexts } from '../done-text';
import { faultText } from '../fault-text';
import { pageFor } from '../layout';
import { receiptFrame } from '../receipt-frame';
import { checkPermission, signedIn, type SignedIn } from '../signed-in';
import type { HandlerOf, Portal } from '../open-portal';
import { checkSentence } from '../check-sentences';
import { actionsView } from './receipt-buttons';
import { historyView, notesView, pastOf, type ReceiptPast } from './receipt-history';
import { deliveriesOf, packetsOf, type Explain } from './receipt-parts';
import { relationsOf, relationsView, type Relations } from './receipt-relations';

const packetsMax = 5;
const doneTexts: DoneTexts = {
  sent: 'receipt.sent',
  void: 'receipt.wasVoided',
  erase: 'receipt.isErased',
  note: 'notes.added',
  returned: 'receipt.wasReturned',
  assigned: 'receipt.assigned',
  unassigned: 'receipt.unassigned',
};

interface ReceiptState {
  readonly receipt: ReceivedReply<typeof receiptStoreContracts.getReceipt>['body'];
  /** What the consumer sees. */
  readonly page: { readonly html: string; readonly contentSecurityPolicy: string } | undefined;
  readonly links: ReceiptLinks | undefined;
  readonly deliveries: readonly Delivery[];
  readonly explain: Explain;
  readonly packets: readonly PacketView[];
  readonly past: ReceiptPast;
  readonly relations: Relations;
  /** True if something of the sale can still be returned. */
  readonly canReturn: boolean;
}

/** @throws ServiceError 404; 409 while the receipt is being processed */
async function gather(deps: Portal, who: SignedIn, id: string): Promise<ReceiptState> {
  const { ask } = deps;
  checkPermission(who, 'view.get_receipt');
  const { call } = who;
  const receipt = (
    await ask(receiptStoreContracts.getReceipt, { params: { id }, query: { checks: true } }, call)
  ).body;
  const packetIds = who.may('view.get_packet') ? receipt.pos_data_ids.slice(0, packetsMax) : [];
  const [page, links, sent, returnable, past, relations, ...packets] = await Promise.all([
    orUndefined(ask(deliveryContracts.renderReceipt, { body: { receipt } }, call)),
    orUndefined(ask(deliveryContracts.getReceiptLinks, { params: { id }, query: {} }, call)),
    orUndefined(ask(deliveryContracts.listDeliveries, { params: { id }, query: {} }, call)),
    orUndefined(ask(receiptStoreContracts.getReturnable, { params: { id }, query: {} }, call)),
    pastOf(deps, who, id),
    relationsOf(deps, who, receipt),
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
    past,
    relations,
    canReturn: returnable?.body.items.some((item) => item.returnable_quantity > 0) ?? false,
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

/** What does not add up, as the list of failing checks says it. */
function checksView(
  { checks = [], l10n }: ReceiptState['receipt'],
  { language }: SignedIn,
): Html | undefined {
  if (checks.length === 0) return undefined;
  return html`<section class="notice bad" aria-labelledby="checks">
    <h2 id="checks">${language.t('receipt.doesNotAddUp')}</h2>
    ${checks.map((check) => html`<div>${checkSentence(check, l10n.currency, language)}</div>`)}
  </section>`;
}

const isReturn = ({ related }: ReturnedReceipt) => related.some(({ type }) => type === 'return');

function actionsOf(who: SignedIn, { receipt, deliveries }: ReceiptState): Html {
  const { t } = who.language;
  const form = (action: string, inside: Html, label: string) =>
    postForm(
      `${who.base}/portal/receipts/${receipt.id}/${action}`,
      who.session.csrf,
      html`${inside} <button>${label}</button>`,
      { className: 'card' },
    );
  const isFree = receipt.identifier === null;
  return html`${
    who.may('view.send_receipt') &&
    receipt.voided === null &&
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

function consumersPage({ page, links }: ReceiptState, language: Language): Html {
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

function receiptReply(who: SignedIn, shown: ReceiptState, notes: Html, status?: number): PageReply {
  const { receipt, page } = shown;
  const { t } = who.language;
  const title = t(isReturn(receipt) ? 'receipt.returnTitle' : 'receipt.title', {
    number: receipt.transaction_id,
  });
  const main = html`<p class="crumb"><a href="${who.base}/portal/">${t('receipt.all')}</a></p>
    <h1>${title} ${receipt.voided && badge('bad', t('tag.voided'))}</h1>
    ${notes} ${checksView(receipt, who)}
    <div class="columns">
      ${consumersPage(shown, who.language)}
      <div>
        ${factsOf(receipt, who)} ${relationsView(receipt, shown.relations, who)}
        ${actionsView(receipt, shown, who)} ${actionsOf(who, shown)} ${deliveriesOf(shown, who)}
        ${historyView(shown.past, shown.deliveries, who)} ${notesView(shown.past, receipt.id, who)}
        ${packetsOf(shown.packets, who)}
      </div>
    </div>`;
  const path = `/portal/receipts/${receipt.id}`;
  const documentPolicy = page?.contentSecurityPolicy;
  return pageFor(who, { title, main, menuPath: '/portal/', path }, status, { documentPolicy });
}

function undoForm({ id, identifier }: ReturnedReceipt, who: SignedIn): Html | false {
  if (identifier === null || !who.may(unassignPermission)) return false;
  const inside = html`<input type="hidden" name="identifier" value="${identifier}" />
    <button class="quiet">${who.language.t('receipt.undo')}</button>`;
  return postForm(`${who.base}/portal/receipts/${id}/unassign`, who.session.csrf, inside, {
    className: 'above',
  });
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
    return pageFor(who, { title, main, menuPath: '/portal/' }, refusal.status);
  }
}

export function portalReceipt(deps: Portal): HandlerOf<'portalReceipt'> {
  return async ({ params, query, headers }, call) => {
    const who = await signedIn(deps, headers, call);
    if (!who) {
      const next = new URLSearchParams({ next: `/portal/receipts/${params.id}` });
      return redirectTo(`/portal/sign-in?${next.toString()}`);
    }
    return receiptPage(deps, who, params.id, { done: query.done });
  };
}
