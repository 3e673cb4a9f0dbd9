import { channelNotAvailable, deliveryContracts, receiptStoreContracts } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { messageKey } from '../pages/language';
import { redirectTo, type PageReply } from '../pages/reply';
import { checked, portalForm } from './form';
import { receiptPage } from './receipt';
import type { SignedIn } from './signed-in';
import type { Endpoint, Portal } from './open-portal';

type Sent = Parameters<typeof portalForm>[1] & { readonly params: { readonly id: string } };

/** A form of a receipt, which leads back to the receipt. */
function receiptForm(
  deps: Portal,
  input: Sent,
  call: SignedIn['call'],
  permission: string,
  act: (who: SignedIn) => Promise<string>,
): Promise<PageReply> {
  const { id } = input.params;
  return portalForm(deps, input, call, {
    permission,
    act: async (who) => redirectTo(`/portal/receipts/${encodeURIComponent(id)}?done=${await act(who)}`),
    refused: (who, fault) => receiptPage(deps, who, id, { fault }),
  });
}

/** Why a receipt cannot be sent by e-mail, in words that help. */
async function reasonOf(
  { ask }: Portal,
  who: SignedIn,
  id: string,
  address: string,
  refusal: ServiceError,
): Promise<ServiceError> {
  const { body } = await ask(deliveryContracts.listDeliveries, { params: { id }, query: {} }, who.call);
  const failed = body.explain.filter(({ channel, passed }) => channel === 'email' && !passed);
  // An address of its own replaces the known one, whatever the customer has said about that.
  const first = failed.find(({ step }) => address === '' || (step !== 'opt_out' && step !== 'address'));
  const key = first && messageKey(`send.${first.step}`);
  if (!key) return refusal;
  const description = who.language.t(key);
  return new ServiceError({ status: refusal.status, description });
}

export function portalSend(deps: Portal): Endpoint<'portalSend'> {
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
      return 'sent';
    });
}

export function portalAssign(deps: Portal): Endpoint<'portalAssign'> {
  return (input, call) =>
    receiptForm(deps, input, call, 'view.assign_receipt', async (who) => {
      const contract = receiptStoreContracts.assignReceipt;
      const body = checked(contract.body.variants['application/json'], {
        id: input.params.id,
        identifier: input.body.identifier.trim(),
      });
      await deps.ask(contract, { query: {}, body }, who.call);
      return 'assigned';
    });
}
