import {
  channelNotAvailable,
  deliveryContracts,
  receiptStoreContracts,
  unassignPermission,
} from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { postForm } from '../../pages/form-fields';
import { html } from '@receipts/html';
import { messageKey } from '../../pages/language';
import { redirectTo, type PageReply } from '../../pages/reply';
import { checked, portalForm } from '../form';
import { pageFor } from '../layout';
import { receiptPage } from './receipt';
import type { SignedIn } from '../signed-in';
import type { HandlerOf, Portal } from '../open-portal';

type ReceiptFormInput = Parameters<typeof portalForm>[1] & { readonly params: { readonly id: string } };

const toReceipt = (id: string, done: 'sent' | 'assigned' | 'unassigned') =>
  redirectTo(`/portal/receipts/${encodeURIComponent(id)}?done=${done}`);

/** A form on the page of a receipt, which is shown again if the form is rejected. */
function receiptForm(
  deps: Portal,
  input: ReceiptFormInput,
  call: SignedIn['call'],
  permission: string,
  act: (who: SignedIn) => Promise<PageReply>,
): Promise<PageReply> {
  const { id } = input.params;
  return portalForm(deps, input, call, {
    permission,
    act,
    refused: (who, fault) => receiptPage(deps, who, id, { fault }),
  });
}

/** Why a receipt cannot be sent by e-mail, and what to do about it. */
async function reasonOf(
  { ask }: Portal,
  who: SignedIn,
  id: string,
  address: string,
  refusal: ServiceError,
): Promise<ServiceError> {
  const { body } = await ask(deliveryContracts.listDeliveries, { params: { id }, query: {} }, who.call);
  const failed = body.explain.filter(({ channel, passed }) => channel === 'email' && !passed);
  // An address entered in the form replaces the known address, even if the customer has opted out.
  const first = failed.find(({ step }) => address === '' || (step !== 'opt_out' && step !== 'address'));
  const key = first && messageKey(`send.${first.step}`);
  if (!key) return refusal;
  const description = who.language.t(key);
  return new ServiceError({ status: refusal.status, description });
}

export function portalSend(deps: Portal): HandlerOf<'portalSend'> {
  return (input, call) =>
    receiptForm(deps, input, call, 'view.send_receipt', async (who) => {
      const address = input.body.email.trim();
      const contract = deliveryContracts.sendReceipt;
      const body = checked(contract.body.variants['application/json'], {
        id: input.params.id,
        channels: ['email'],
        ...(address !== '' && { email_address: address }),
      });
      try {
        await deps.ask(contract, { body }, who.call);
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== channelNotAvailable.code) throw error;
        throw await reasonOf(deps, who, input.params.id, address, error);
      }
      return toReceipt(input.params.id, 'sent');
    });
}

/** Asks whether the receipt is to be assigned. */
async function confirmation(
  { ask }: Portal,
  who: SignedIn,
  id: string,
  customer: string,
): Promise<PageReply> {
  const { t, localTime, money } = who.language;
  const { body } = await ask(receiptStoreContracts.getReceipt, { params: { id }, query: {} }, who.call);
  const path = `/portal/receipts/${body.id}`;
  const title = t('receipt.assignAsk', { number: body.transaction_id, customer });
  const amount = money(body.l10n.currency)(body.total);
  const inside = html`<input type="hidden" name="identifier" value="${customer}" />
    <div class="actions">
      <button name="confirmed" value="true">${t('receipt.assignButton')}</button>
      <a class="button quiet" href="${who.base}${path}">${t('cancel')}</a>
    </div>`;
  const main = html`<section class="card">
    <h1>${title}</h1>
    <p>${t('receipt.assignAskText', { customer, time: localTime(body.localtime), amount })}</p>
    ${postForm(`${who.base}${path}/assign`, who.session.csrf, inside)}
  </section>`;
  return pageFor(who, { title, main, menuPath: '/portal/', path });
}

export function portalAssign(deps: Portal): HandlerOf<'portalAssign'> {
  return (input, call) =>
    receiptForm(deps, input, call, 'view.assign_receipt', async (who) => {
      const contract = receiptStoreContracts.assignReceipt;
      const { id } = input.params;
      const body = checked(contract.body.variants['application/json'], {
        id,
        identifier: input.body.identifier.trim(),
      });
      if (input.body.confirmed === undefined) return confirmation(deps, who, id, body.identifier);
      await deps.ask(contract, { query: {}, body }, who.call);
      return toReceipt(id, 'assigned');
    });
}

/** Undoes an assignment, unless the receipt has meanwhile been assigned to somebody else. */
export function portalUnassign(deps: Portal): HandlerOf<'portalUnassign'> {
  return (input, call) =>
    receiptForm(deps, input, call, unassignPermission, async (who) => {
      const { params, body } = input;
      const operations = [
        { op: 'test', path: '/identifier', value: body.identifier },
        { op: 'remove', path: '/identifier' },
      ];
      const patch = { params, headers: {}, body: operations, contentType: 'application/json-patch+json' };
      await deps.ask(receiptStoreContracts.patchReceipt, patch, who.granting);
      return toReceipt(params.id, 'unassigned');
    });
}

/** Creates a gift receipt with all items, and shows it. */
export function portalGift(deps: Portal): HandlerOf<'portalGift'> {
  return (input, call) =>
    receiptForm(deps, input, call, 'view.post_gift_receipt', async (who) => {
      const { id } = input.params;
      const { body } = await deps.ask(
        receiptStoreContracts.createGiftReceipt,
        { params: { id }, body: {} },
        who.call,
      );
      // Staff may reach the portal under another host than customers.
      return redirectTo(new URL(body.webview.href).pathname);
    });
}
