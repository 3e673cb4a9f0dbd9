import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Registry } from '../open-registry';
import { clientOf } from '../domain/client';
import { namedClient } from '../storage/clients';

export function getClient(deps: Registry): HandlerOf<'getClient'> {
  return async ({ params }, call) => {
    const { authentication, client_id: id } = params;
    const record = await namedClient(deps.clients, call.retailer, authentication, id, deadlineSignal(call));
    return { body: clientOf(record) };
  };
}
