import { clientNotFound, type adminContracts } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { clientOf, heldBy, patchClient as patched } from '../domain/client';
import { clientEvent } from '../domain/events';
import { namedClient, type Clients } from '../storage/clients';

export function patchClient(deps: {
  clients: Clients;
  sealer: { open(sealed: string): string };
  now: () => Date;
}): Handler<(typeof adminContracts)['patchClient']> {
  return async ({ params, body }, call) => {
    const held = heldBy(call);
    const { authentication, client_id: id } = params;
    const signal = deadlineSignal(call);
    const { id: clientId } = await namedClient(deps.clients, call.retailer, authentication, id, signal);
    const now = deps.now();
    const record = await deps.clients.update(
      call.retailer,
      clientId,
      (current) => patched(current, body, held),
      (next, current) => clientEvent(next, current, call, now),
      { callId: call.id, signal },
    );
    if (!record) throw new ServiceError(clientNotFound);
    return { body: { ...clientOf(record), secret: deps.sealer.open(record.secret) } };
  };
}
