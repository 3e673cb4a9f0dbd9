import { queueNotFound } from '@receipts/contracts';
import { ServiceError, unavailable } from '@receipts/kernel';
import type { Parked } from '@receipts/messaging';

export interface ParkedDeps {
  parked: Parked;
}

/**
 * The queues with a queue for parked messages: all of them, or the named one.
 * @throws ServiceError 404 when there is no such queue
 */
export async function parkedQueues({ parked }: ParkedDeps, named?: string): Promise<readonly string[]> {
  const names = await parked.queues();
  if (named === undefined) return names;
  if (!names.includes(named)) throw new ServiceError(queueNotFound);
  return [named];
}

/** Parked messages are read over separate connections. If these fail, the caller gets 503. */
export function guardedParked(parked: Parked): Parked {
  const guard =
    <A extends unknown[], R>(look: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> =>
      look(...args).catch((cause: unknown) => {
        throw new ServiceError(unavailable, { cause });
      });
  return {
    queues: guard(() => parked.queues()),
    list: guard((queue, page) => parked.list(queue, page)),
    show: guard((queue, id) => parked.show(queue, id)),
    replay: guard((queue, ids, until) => parked.replay(queue, ids, until)),
    discard: guard((queue, ids, until) => parked.discard(queue, ids, until)),
  };
}
