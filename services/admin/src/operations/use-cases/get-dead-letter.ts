import { deadLetterNotFound } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import type { HandlerOf, Operations } from '../open-operations';
import { checkQueue } from '../queues';
import { deadLetterOf } from './dead-letter';

export function getDeadLetter(deps: Operations): HandlerOf<'getDeadLetter'> {
  return async ({ params, query }) => {
    checkQueue(query.queue);
    const found = await deps.deadLetters.show(query.queue, params.id);
    if (!found) throw new ServiceError(deadLetterNotFound);
    return { body: { ...deadLetterOf(found), content: found.content } };
  };
}
