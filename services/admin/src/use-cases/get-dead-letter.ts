import { deadLetterNotFound, type adminContracts } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import { deadLetterOf } from './dead-letter';
import { deadLetterQueues, type DeadLetterDeps } from './dead-letter-queues';

export function getDeadLetter(deps: DeadLetterDeps): Handler<(typeof adminContracts)['getDeadLetter']> {
  return async ({ params, query }) => {
    await deadLetterQueues(deps, query.queue);
    const found = await deps.deadLetters.show(query.queue, params.id);
    if (!found) throw new ServiceError(deadLetterNotFound);
    return { body: { ...deadLetterOf(found), content: found.content } };
  };
}
