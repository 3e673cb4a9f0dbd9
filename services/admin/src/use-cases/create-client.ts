import { clientNotFound, type adminContracts } from '@receipts/contracts';
import { ServiceError, type Call, type Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { clientOf, heldBy, isAuthentication, newClient } from '../domain/client';
import { clientEvent } from '../domain/events';
import type { Clients } from '../storage/clients';

export interface CreateClientDeps {
  clients: Clients;
  sealer: { seal(text: string): string; open(sealed: string): string };
  generate: () => { key: string; secret: string };
  now: () => Date;
}

type Posted = Parameters<typeof newClient>[2];

/** Creates a client of any retailer: used by the operator's contract and by the retailer's own. */
export function clientCreation(deps: CreateClientDeps) {
  return async (retailer: string, authentication: string, body: Posted, call: Call) => {
    if (!isAuthentication(authentication)) throw new ServiceError(clientNotFound);
    const client = newClient(retailer, authentication, body, heldBy(call), deps.generate());
    const now = deps.now();
    const record = await deps.clients.create(
      retailer,
      { ...client, secret: deps.sealer.seal(client.secret) },
      (created) => clientEvent(created, undefined, call, now),
      { callId: call.id, signal: deadlineSignal(call) },
    );
    return {
      // If the call is executed again, the answer shows the client that it has created before.
      body: { ...clientOf(record), secret: deps.sealer.open(record.secret) },
      meta: { authentication, id: record.id },
    };
  };
}

export function createClient(deps: CreateClientDeps): Handler<(typeof adminContracts)['createClient']> {
  const create = clientCreation(deps);
  return ({ params, body }, call) => create(call.retailer, params.authentication, body, call);
}
