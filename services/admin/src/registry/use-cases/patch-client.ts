import { clientNotFound } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Registry } from '../open-registry';
import { clientOf, patchClient as patched } from '../domain/client';
import { clientEvent } from '../domain/events';
import { grantsOf } from '../domain/grants';
import { idOf } from '../storage/aggregates';
import { namedClient } from '../storage/clients';

export function patchClient(deps: Registry): HandlerOf<'patchClient'> {
  return async ({ params, body }, call) => {
    const grants = grantsOf(call);
    const { authentication, client_id: id } = params;
    const signal = deadlineSignal(call);
    const client = await namedClient(deps.clients, call.retailer, authentication, id, signal);
    const now = deps.now();
    const record = await deps.clients.change(
      call.retailer,
      idOf(call.retailer, client.id),
      (current) => patched(current, body, grants),
      (next, current) => clientEvent(next, current, call, now),
      { callId: call.id, signal },
    );
    if (!record) throw new ServiceError(clientNotFound);
    return { body: { ...clientOf(record), secret: deps.sealer.open(record.secret) } };
  };
}
