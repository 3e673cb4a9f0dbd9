import type { adminContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { deadLetterSelection, type DeadLetterCommandDeps } from './dead-letter-selection';

export function replayDeadLetters(
  deps: DeadLetterCommandDeps,
): Handler<(typeof adminContracts)['replayDeadLetters']> {
  return async ({ body }, call) => {
    const { ids, at } = await deadLetterSelection(deps, body, call);
    await deps.deadLetters.replay(body.queue, ids, at);
    return { body: { replayed: ids.length } };
  };
}
