import type { adminContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { parkedSelection, type ParkedCommandDeps } from './parked-selection';

export function replayParkedMessages(
  deps: ParkedCommandDeps,
): Handler<(typeof adminContracts)['replayParkedMessages']> {
  return async ({ body }, call) => {
    const { ids, at } = await parkedSelection(deps, body, call);
    await deps.parked.replay(body.queue, ids, at);
    return { body: { replayed: ids.length } };
  };
}
