import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Registry } from '../open-registry';
import { credentialOf } from '../storage/clients';

export function listCredentials(deps: Registry): HandlerOf<'listCredentials'> {
  return async ({ body }, call) => {
    const { records, next } = await deps.clients.snapshot(body.after, body.count, deadlineSignal(call));
    return { body: { credentials: records.map(credentialOf), next } };
  };
}
