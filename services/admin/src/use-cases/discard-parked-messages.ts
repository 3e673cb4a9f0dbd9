import type { adminContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { parkedSelection, type ParkedCommandDeps } from './parked-selection';

export function discardParkedMessages(
  deps: ParkedCommandDeps,
): Handler<(typeof adminContracts)['discardParkedMessages']> {
  return async ({ body }, call) => {
    const { ids, at } = await parkedSelection(deps, body, call);
    await deps.parked.discard(body.queue, ids, at);
    return { body: { discarded: ids.length } };
  };
}
