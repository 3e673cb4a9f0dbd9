import type { HandlerOf, Operations } from '../open-operations';
import { deadLetterSelection } from './dead-letter-selection';

export function discardDeadLetters(operations: Operations): HandlerOf<'discardDeadLetters'> {
  return async ({ body }, call) => {
    const { ids, at } = await deadLetterSelection(operations, body, call);
    await operations.deadLetters.discard(body.queue, ids, at);
    return { body: { discarded: ids.length } };
  };
}
