import { deliveryContracts, receiptStoreContracts } from '@receipts/contracts';
import { check, ServiceError } from '@receipts/kernel';
import type { z } from 'zod';
import { redirectTo, type PageReply } from '../pages/reply';
import { checkForm, checkSameSite } from '../pages/same-site';
import { receiptPage } from './receipt';
import { checkPermission, signedIn, type SignedIn } from './signed-in';
import type { Endpoint, Portal } from './open-portal';

interface Sent {
  readonly params: { readonly id: string };
  readonly headers: Parameters<typeof checkSameSite>[0] & { readonly cookie?: string | undefined };
  readonly body: { readonly csrf: string };
}

/** The checks and the redirect that all forms of a receipt share. */
async function receiptForm(
  deps: Portal,
  { params, headers, body }: Sent,
  call: SignedIn['call'],
  permission: string,
  act: (who: SignedIn) => Promise<string>,
): Promise<PageReply> {
  checkSameSite(headers);
  const who = await signedIn(deps, headers.cookie, call);
  if (!who) return redirectTo('/portal/sign-in');
  checkForm(who.session, body.csrf);
  checkPermission(who, permission);
  try {
    const done = await act(who);
    return redirectTo(`/portal/receipts/${encodeURIComponent(params.id)}?done=${done}`);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status >= 500) throw error;
    return receiptPage(deps, who, params.id, { fault: error });
  }
}

/** Checks a body as the API does. */
function checked<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  try {
    return check(schema, value);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const message = error.errors?.[0]?.message ?? error.description;
    throw new ServiceError(
      { status: 422, description: message },
      { description: `The input is invalid: it ${message}.` },
    );
  }
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
