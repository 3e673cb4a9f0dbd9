import type { adminContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { parkedQueues, type ParkedDeps } from './parked-queues';

export function replayParkedMessages(
  deps: ParkedDeps,
): Handler<(typeof adminContracts)['replayParkedMessages']> {
  return async ({ body }) => {
    await parkedQueues(deps, body.queue);
    return { body: { replayed: await deps.parked.replay(body.queue, body.ids ?? 'all') } };
  };
}
