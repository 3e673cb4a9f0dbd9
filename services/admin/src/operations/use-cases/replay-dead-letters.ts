import type { HandlerOf, Operations } from '../open-operations';
import { deadLetterSelection } from './dead-letter-selection';

export function replayDeadLetters(operations: Operations): HandlerOf<'replayDeadLetters'> {
  return async ({ body }, call) => {
    const { ids, at } = await deadLetterSelection(operations, body, call);
    await operations.deadLetters.replay(body.queue, ids, at);
    return { body: { replayed: ids.length } };
  };
}
