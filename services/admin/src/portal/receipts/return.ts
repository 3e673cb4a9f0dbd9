import {
  paymentMethodName,
  receiptStoreContracts,
  type ReturnableItem,
  type ReturnedReceipt,
} from '@receipts/contracts';
import { ServiceError, timestampOf } from '@receipts/kernel';
import { field, postForm, problem, selectField } from '../../pages/form-fields';
import { html, type Html } from '@receipts/html';
import { redirectTo, type PageReply } from '../../pages/reply';
import { table } from '../../pages/table';
import { faultText } from '../fault-text';
import { checked, portalForm } from '../form';
import { pageFor } from '../layout';
import type { HandlerOf, Portal } from '../open-portal';
import { permittedPage } from '../page';
import type { SignedIn } from '../signed-in';
import { returnReceipt, type ChosenReturn } from './return-receipt';

const permission = 'view.post_receipt';

interface Sale {
  readonly receipt: ReturnedReceipt;
  /** The items of which something can still be returned. */
  readonly returnable: readonly ReturnableItem[];
}

async function saleOf({ ask }: Portal, { call }: SignedIn, id: string): Promise<Sale> {
  const input = { params: { id }, query: {} };
  const [receipt, found] = await Promise.all([
    ask(receiptStoreContracts.getReceipt, input, call),
    ask(receiptStoreContracts.getReturnable, input, call),
  ]);
  const returnable = found.body.items.filter((item) => item.returnable_quantity > 0);
  return { receipt: receipt.body, returnable };
}

interface Draft {
  readonly quantities: readonly string[];
  readonly method: string;
  readonly reason: string;
  readonly transactionId: string;
}

function itemsTable({ receipt, returnable }: Sale, draft: Draft, { language }: SignedIn): Html {
  const { t, number, money } = language;
  const amount = money(receipt.l10n.currency);
  const columns = [
    t('item'),
    { numbers: t('return.possible') },
    { numbers: t('return.price') },
    t('return.quantity'),
  ];
  const rows = returnable.map((line, at) => [
    line.name,
    `${number(line.returnable_quantity)}${line.unit === null ? '' : ` ${line.unit}`}`,
    line.unit_price === null ? '' : amount(line.unit_price),
    html`<input
      name="quantities"
      type="number"
      inputmode="decimal"
      min="0"
      max="${line.returnable_quantity}"
      step="${Number.isInteger(line.returnable_quantity) ? '1' : 'any'}"
      value="${draft.quantities[at] ?? '0'}"
      aria-label="${t('return.quantityOf', { item: line.name })}"
    />`,
  ]);
  return table('returning', columns, rows);
}

function returnPage(sale: Sale, draft: Draft, who: SignedIn, fault?: ServiceError): PageReply {
  const { receipt, returnable } = sale;
  const { t, language } = { t: who.language.t, language: who.language };
  const path = `/portal/receipts/${receipt.id}`;
  const title = t('return.title', { number: receipt.transaction_id });
  const known = receipt.payments.map(({ method }) => method);
  const methods = [...new Set([...known, 'cash', 'card'])].map((value) => ({
    value,
    label: paymentMethodName(value, (kind) => t(`payment.${kind}`)),
  }));
  const inside = html`${itemsTable(sale, draft, who)}
    <div class="finder">
      ${selectField({ name: 'method', label: t('return.method'), value: draft.method, options: methods })}
      ${field({ name: 'reason', label: t('reason'), value: draft.reason })}
      ${field({ name: 'transaction_id', label: t('return.number'), value: draft.transactionId, required: true })}
    </div>
    <div class="actions">
      <button name="confirmed" value="">${t('return.check')}</button>
      <a class="button quiet" href="${who.base}${path}">${t('cancel')}</a>
    </div>`;
  const main = html`<p class="crumb">
      <a href="${who.base}${path}">${t('receipt.title', { number: receipt.transaction_id })}</a>
    </p>
    <h1 id="returning">${title}</h1>
    ${problem(fault && faultText(fault, language))}
    ${
      returnable.length === 0
        ? html`<p class="card empty">${t('return.nothing')}</p>`
        : postForm(`${who.base}${path}/return`, who.session.csrf, inside, { className: 'card' })
    }`;
  return pageFor(who, { title, main, menuPath: '/portal/', path: `${path}/return` }, fault?.status);
}

/** Shows the receipt that would be posted, so that the amount can be compared before anything happens. */
function confirmPage(
  sale: Sale,
  draft: Draft,
  posted: ReturnType<typeof returnReceipt>,
  who: SignedIn,
): PageReply {
  const { t, money, number } = who.language;
  const amount = money(sale.receipt.l10n.currency);
  const path = `/portal/receipts/${sale.receipt.id}`;
  const hidden = (name: string, value: string) =>
    html`<input type="hidden" name="${name}" value="${value}" />`;
  const title = t('return.ask', { amount: amount(-posted.total) });
  const rows = posted.items.map((item) => [item.name, number(-item.quantity), amount(-item.total)]);
  const inside = html`${draft.quantities.map((quantity) => hidden('quantities', quantity))}
    ${hidden('method', draft.method)} ${hidden('reason', draft.reason)}
    ${hidden('transaction_id', draft.transactionId)}
    <div class="actions">
      <button name="confirmed" value="true">${t('return.do')}</button>
      <a class="button quiet" href="${who.base}${path}/return">${t('cancel')}</a>
    </div>`;
  const main = html`<section class="card">
    <h1 id="returning">${title}</h1>
    ${table('returning', [t('item'), { numbers: t('return.quantity') }, { numbers: t('totals.total') }], rows)}
    ${postForm(`${who.base}${path}/return`, who.session.csrf, inside)}
  </section>`;
  return pageFor(who, { title, main, menuPath: '/portal/', path: `${path}/return` });
}

/** @throws ServiceError 422 for a quantity that cannot be returned, or if nothing is returned */
function chosenOf({ returnable }: Sale, draft: Draft, { language: { t } }: SignedIn): ChosenReturn {
  const refuse = (description: string) => new ServiceError({ status: 422, description });
  const quantities = new Map<number, number>();
  for (const [at, line] of returnable.entries()) {
    const text = (draft.quantities[at] ?? '').trim().replace(',', '.');
    const quantity = text === '' ? 0 : Number(text);
    if (!(quantity >= 0 && quantity <= line.returnable_quantity)) {
      throw refuse(t('return.tooMany', { item: line.name, count: line.returnable_quantity }));
    }
    if (quantity > 0) quantities.set(line.index, quantity);
  }
  if (quantities.size === 0) throw refuse(t('return.none'));
  const { method, reason, transactionId } = draft;
  return { method, reason, transactionId, quantities };
}

/** A number for the return that tells which sale it belongs to and is unlikely to be taken. */
const suggestedNumber = ({ transaction_id: number }: ReturnedReceipt, now: Date) =>
  `${number.slice(0, 200)}-R${now.getTime().toString(36)}`;

export const portalReturnPage = (deps: Portal): HandlerOf<'portalReturnPage'> =>
  permittedPage(deps, permission, async (who, { params }) => {
    const sale = await saleOf(deps, who, params.id);
    const method = sale.receipt.payments[0]?.method ?? 'cash';
    const transactionId = suggestedNumber(sale.receipt, deps.now());
    return returnPage(sale, { quantities: [], method, reason: '', transactionId }, who);
  });

/** Posts the receipt of a return, after its amount was confirmed. */
export const portalReturn = (deps: Portal): HandlerOf<'portalReturn'> => {
  return (input, call) => {
    const { quantities = [], method, reason = '', transaction_id: number, confirmed } = input.body;
    const draft = {
      quantities: [quantities].flat(),
      method,
      reason: reason.trim(),
      transactionId: number.trim(),
    };
    return portalForm(deps, input, call, {
      permission,
      act: async (who) => {
        const sale = await saleOf(deps, who, input.params.id);
        const chosen = chosenOf(sale, draft, who);
        const posted = returnReceipt(sale.receipt, sale.returnable, chosen, timestampOf(deps.now()));
        const contract = receiptStoreContracts.createReceipt;
        const body = checked(contract.body.variants['application/json'], posted);
        if (confirmed !== 'true') return confirmPage(sale, draft, posted, who);
        const { id } = (await deps.ask(contract, { body }, who.call)).body;
        return redirectTo(`/portal/receipts/${id}?done=returned`);
      },
      refused: async (who, fault) => returnPage(await saleOf(deps, who, input.params.id), draft, who, fault),
    });
  };
};
