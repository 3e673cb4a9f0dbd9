import { deliveryContracts, receiptStoreContracts } from '@receipts/contracts';
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
      await deps.ask(contract, { body }, who.call);
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
