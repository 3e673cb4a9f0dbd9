import { deadlineSignal } from '@receipts/storage';
import type { Endpoint, Registry } from '../open-registry';

export function listCredentials(deps: Registry): Endpoint<'listCredentials'> {
  return async ({ body }, call) => ({
    body: await deps.clients.snapshot(body.after, body.count, deadlineSignal(call)),
  });
}
