import { identifierContracts, receiptStoreContracts } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { field, postForm } from '../../pages/form-fields';
import { html } from '@receipts/html';
import { redirectTo, type PageReply } from '../../pages/reply';
import { checked, portalForm } from '../form';
import { pageFor } from '../layout';
import type { HandlerOf, Portal } from '../open-portal';
import type { SignedIn } from '../signed-in';
import { receiptPage } from './receipt';
import { actionPermissions, type Action } from './receipt-buttons';

const reasonMax = 255;

/** Asks whether the action is to be done, and says what it does. */
async function confirmation(
  { ask }: Portal,
  who: SignedIn,
  id: string,
  action: Exclude<Action, 'note'>,
): Promise<PageReply> {
  const { t, money, localTime } = who.language;
  const { body } = await ask(receiptStoreContracts.getReceipt, { params: { id }, query: {} }, who.call);
  if (action === 'void' && body.voided)
    throw new ServiceError({ status: 422, description: t('fault.receipt_voided') });
  const customer = body.identifier;
  if (action === 'erase' && customer === null) {
    throw new ServiceError({ status: 422, description: t('receipt.noCustomer') });
  }
  const path = `/portal/receipts/${body.id}`;
  const values = { number: body.transaction_id, customer: customer ?? '' };
  const title = t(`ask.${action}`, values);
  const inside = html`${action === 'void' && field({ name: 'text', label: t('reason') })}
    <input type="hidden" name="action" value="${action}" />
    <div class="actions">
      <button class="danger" name="confirmed" value="true">${t(`do.${action}`)}</button>
      <a class="button quiet" href="${who.base}${path}">${t('cancel')}</a>
    </div>`;
  const main = html`<section class="card">
    <h1>${title}</h1>
    <p>
      ${t('ask.which', { time: localTime(body.localtime), amount: money(body.l10n.currency)(body.total) })}
    </p>
    <p>${t(`ask.${action}Text`, values)}</p>
    ${postForm(`${who.base}${path}/actions`, who.session.csrf, inside)}
  </section>`;
  return pageFor(who, { title, main, menuPath: '/portal/', path });
}

async function perform(
  { ask }: Portal,
  { call, language }: SignedIn,
  id: string,
  action: Action,
  text: string,
): Promise<void> {
  const params = { id };
  if (action === 'note') {
    if (text === '') throw new ServiceError({ status: 422, description: language.t('notes.empty') });
    await ask(receiptStoreContracts.addReceiptNote, { params, body: { text } }, call);
  } else if (action === 'void') {
    const contract = receiptStoreContracts.voidReceipt;
    const body = checked(contract.body.variants['application/json'], {
      ...(text !== '' && { reason: text.slice(0, reasonMax) }),
    });
    await ask(contract, { params, body }, call);
  } else if (action === 'delete') {
    await ask(receiptStoreContracts.deleteReceipt, { params, headers: {} }, call);
  } else {
    const { body } = await ask(receiptStoreContracts.getReceipt, { params, query: {} }, call);
    if (body.identifier === null) {
      throw new ServiceError({ status: 422, description: language.t('receipt.noCustomer') });
    }
    await ask(identifierContracts.eraseIdentifier, { params: { identifier: body.identifier } }, call);
  }
}

/** Voids a receipt, deletes it, erases its consumer, or adds a note. */
export const portalReceiptAction = (deps: Portal): HandlerOf<'portalReceiptAction'> => {
  return (input, call) => {
    const { id } = input.params;
    const { action, confirmed, text = '' } = input.body;
    return portalForm(deps, input, call, {
      permission: actionPermissions[action],
      act: async (who) => {
        if (action !== 'note' && confirmed !== 'true') return confirmation(deps, who, id, action);
        await perform(deps, who, id, action, text.trim());
        const encoded = encodeURIComponent(id);
        return redirectTo(
          action === 'delete' ? '/portal/?done=deleted' : `/portal/receipts/${encoded}?done=${action}`,
        );
      },
      refused: (who, fault) => receiptPage(deps, who, id, { fault }),
    });
  };
};
