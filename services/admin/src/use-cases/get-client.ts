import type { adminContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { checkAdministers, clientOf } from '../domain/client';
import { namedClient, type Clients } from '../storage/clients';

export function getClient(deps: { clients: Clients }): Handler<(typeof adminContracts)['getClient']> {
  return async ({ params }, call) => {
    checkAdministers(call);
    const { authentication, client_id: id } = params;
    const record = await namedClient(deps.clients, call.retailer, authentication, id, deadlineSignal(call));
    return { body: clientOf(record) };
  };
}
