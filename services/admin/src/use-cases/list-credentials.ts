import type { adminContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { Clients } from '../storage/clients';

export function listCredentials(deps: {
  clients: Clients;
}): Handler<(typeof adminContracts)['listCredentials']> {
  return async ({ body }, call) => ({
    body: await deps.clients.snapshot(body.after, body.count, deadlineSignal(call)),
  });
}
