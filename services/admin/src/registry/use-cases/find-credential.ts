import { deadlineSignal } from '@receipts/storage';
import type { Endpoint, Registry } from '../open-registry';

export function findCredential(deps: Registry): Endpoint<'findCredential'> {
  return async ({ body }, call) => ({
    body: { credential: await deps.clients.credential(body.key, deadlineSignal(call)) },
  });
}
