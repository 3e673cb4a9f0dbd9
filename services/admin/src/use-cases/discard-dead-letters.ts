import type { adminContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { deadLetterSelection, type DeadLetterCommandDeps } from './dead-letter-selection';

export function discardDeadLetters(
  deps: DeadLetterCommandDeps,
): Handler<(typeof adminContracts)['discardDeadLetters']> {
  return async ({ body }, call) => {
    const { ids, at } = await deadLetterSelection(deps, body, call);
    await deps.deadLetters.discard(body.queue, ids, at);
    return { body: { discarded: ids.length } };
  };
}
