import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Registry } from '../open-registry';

export function findCredential(deps: Registry): HandlerOf<'findCredential'> {
  return async ({ body }, call) => ({
    body: { credential: await deps.clients.credential(body.key, deadlineSignal(call)) },
  });
}
