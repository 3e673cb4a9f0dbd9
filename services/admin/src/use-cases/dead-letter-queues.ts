import { queueNotFound } from '@receipts/contracts';
import { ServiceError, unavailable } from '@receipts/kernel';
import type { DeadLetters } from '@receipts/messaging';

export interface DeadLetterDeps {
  deadLetters: DeadLetters;
}

/**
 * The queues with a queue for dead letters: all of them, or the named one.
 * @throws ServiceError 404 when there is no such queue
 */
export async function deadLetterQueues(
  { deadLetters }: DeadLetterDeps,
  named?: string,
): Promise<readonly string[]> {
  const names = await deadLetters.queues();
  if (named === undefined) return names;
  if (!names.includes(named)) throw new ServiceError(queueNotFound);
  return [named];
}

/** Dead letters are read over separate connections. If these fail, the caller gets 503. */
export function guardedDeadLetters(deadLetters: DeadLetters): DeadLetters {
  const guard =
    <A extends unknown[], R>(look: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> =>
      look(...args).catch((cause: unknown) => {
        throw new ServiceError(unavailable, { cause });
      });
  return {
    queues: guard(() => deadLetters.queues()),
    list: guard((queue, page) => deadLetters.list(queue, page)),
    show: guard((queue, id) => deadLetters.show(queue, id)),
    replay: guard((queue, ids, until) => deadLetters.replay(queue, ids, until)),
    discard: guard((queue, ids, until) => deadLetters.discard(queue, ids, until)),
  };
}
