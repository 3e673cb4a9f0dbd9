import { clientNotFound } from '@receipts/contracts';
import { ServiceError, type Call } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Registry } from '../open-registry';
import { clientOf, isAuthentication, newClient } from '../domain/client';
import { newClientKey, newClientSecret } from '../domain/client-secrets';
import { clientEvent } from '../domain/events';
import { grantsOf } from '../domain/grants';

type Posted = Parameters<typeof newClient>[2];

/** Creates a client of any retailer: used by the operator's contract and by the retailer's own. */
export function clientCreator(deps: Registry) {
  return async (retailer: string, authentication: string, body: Posted, call: Call) => {
    if (!isAuthentication(authentication)) throw new ServiceError(clientNotFound);
    const generated = { key: newClientKey(), secret: newClientSecret() };
    const client = newClient(retailer, authentication, body, grantsOf(call), generated);
    const now = deps.now();
    const record = await deps.clients.create(
      retailer,
      { ...client, secret: deps.sealer.seal(client.secret) },
      (created) => clientEvent(created, undefined, call, now),
      { callId: call.id, signal: deadlineSignal(call) },
    );
    return {
      // If the call is executed again, the reply contains the client that was created before.
      body: { ...clientOf(record), secret: deps.sealer.open(record.secret) },
      meta: { authentication, id: record.id },
    };
  };
}

export function createClient(deps: Registry): HandlerOf<'createClient'> {
  const create = clientCreator(deps);
  return ({ params, body }, call) => create(call.retailer, params.authentication, body, call);
}
