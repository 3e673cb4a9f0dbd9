import {
  identifierContracts,
  receiptStoreContracts,
  type adminContracts,
  type ReturnedReceipt,
} from '@receipts/contracts';
import { ServiceError, type Input } from '@receipts/kernel';
import { field, postForm } from '../../pages/form-fields';
import { html, type Html } from '../../pages/html';
import { redirectTo, type PageReply } from '../../pages/reply';
import { checked, portalForm } from '../form';
import { pageFor } from '../layout';
import type { Endpoint, Portal } from '../open-portal';
import type { SignedIn } from '../signed-in';
import { receiptPage } from './receipt';

type Action = Input<(typeof adminContracts)['portalReceiptAction']>['body']['action'];

const permissions = {
  void: 'view.void_receipt',
  erase: 'view.erase_identifier',
  delete: 'view.delete_receipt',
  note: 'view.patch_receipt',
} as const satisfies Record<Action, string>;

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
  return pageFor(who, { title, main, place: '/portal/', path });
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
export const portalReceiptAction = (deps: Portal): Endpoint<'portalReceiptAction'> => {
  return (input, call) => {
    const { id } = input.params;
    const { action, confirmed, text = '' } = input.body;
    return portalForm(deps, input, call, {
      permission: permissions[action],
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

/** The buttons for what may be done with a receipt in this state; nothing that would be rejected. */
export function actionsView(
  receipt: ReturnedReceipt,
  { canReturn }: { readonly canReturn: boolean },
  who: SignedIn,
): Html | undefined {
  const { t } = who.language;
  const path = `${who.base}/portal/receipts/${receipt.id}`;
  const button = (action: Exclude<Action, 'note'>) =>
    html`<button class="quiet danger" name="action" value="${action}">${t(`do.${action}`)}</button>`;
  const isOffered = {
    void: receipt.voided === null,
    erase: receipt.identifier !== null,
    delete: true,
  } as const;
  const offered = (['void', 'erase', 'delete'] as const).filter(
    (action) => isOffered[action] && who.may(permissions[action]),
  );
  const returns = canReturn && who.may('view.post_receipt');
  if (offered.length === 0 && !returns) return undefined;
  return html`<section class="card" aria-labelledby="actions">
    <h2 id="actions">${t('actions')}</h2>
    <div class="actions">
      ${returns && html`<a class="button quiet" href="${path}/return">${t('return.items')}</a>`}
      ${
        offered.length > 0 &&
        postForm(`${path}/actions`, who.session.csrf, html`${offered.map(button)}`, 'actions')
      }
    </div>
  </section>`;
}
