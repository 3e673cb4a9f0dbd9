import type { adminContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { parkedQueues, type ParkedDeps } from './parked-queues';

export function discardParkedMessages(
  deps: ParkedDeps,
): Handler<(typeof adminContracts)['discardParkedMessages']> {
  return async ({ body }) => {
    await parkedQueues(deps, body.queue);
    return { body: { discarded: await deps.parked.discard(body.queue, body.ids ?? 'all') } };
  };
}
