import { ServiceError, unavailable } from '@receipts/kernel';
import type { DeadLetters } from '@receipts/messaging';

/** Dead letters are read over separate connections. If these fail, the caller gets 503. */
export function guardedDeadLetters(deadLetters: DeadLetters): DeadLetters {
  const guard =
    <A extends unknown[], R>(read: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> =>
      read(...args).catch((cause: unknown) => {
        throw new ServiceError(unavailable, { cause });
      });
  return {
    list: guard((queue) => deadLetters.list(queue)),
    show: guard((queue, id) => deadLetters.show(queue, id)),
    replay: guard((queue, ids, until) => deadLetters.replay(queue, ids, until)),
    discard: guard((queue, ids, until) => deadLetters.discard(queue, ids, until)),
  };
}
