import type { adminContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { Clients } from '../storage/clients';

export function findCredential(deps: {
  clients: Clients;
}): Handler<(typeof adminContracts)['findCredential']> {
  return async ({ body }, call) => ({
    body: { credential: await deps.clients.credential(body.key, deadlineSignal(call)) },
  });
}
