import type { Collection, Document, Filter, UpdateFilter, WithId } from 'mongodb';
import { pause } from '@receipts/concurrency';
import { concurrentWrite, retrySoon, ServiceError, unavailable } from '@receipts/kernel';
import { outboxItemsMax, type OutboxItem, type WithOutbox } from './outbox';

/** The fields of every aggregate. */
export interface Aggregate extends WithOutbox {
  readonly retailer: string;
  /** Starts at 1; every change increments it. */
  readonly version: number;
}

/** The result of a decision about the current state. */
export interface Decision<D extends Document, R> {
  /** The update, without the version and the outbox, which are added automatically; absent if nothing changes. */
  readonly update?: UpdateFilter<D>;
  /** The messages to send because of the change. */
  readonly outbox?: readonly OutboxItem[];
  /** By how much the version increases; more than 1 if several changes are saved in one write. */
  readonly versions?: number;
  readonly result: R;
}

export interface VersionedUpdate<D extends Document & Aggregate, R> {
  readonly collection: Collection<D>;
  readonly retailer: string;
  readonly id: D['_id'];
  /**
   * It may read what the decision needs, but must not have effects, because it runs again after a lost race. A thrown
   * ServiceError is passed to the caller.
   */
  readonly decide: (current: WithId<D>) => Decision<D, R> | Promise<Decision<D, R>>;
  /** Limits each command: called for every one, so that the time of a decision does not count. */
  readonly signal?: () => AbortSignal;
}

const attemptsMax = 8;
const backoffMaxMs = 20;

/**
 * Loads an aggregate, decides, and saves version, state and outbox in one write with compare-and-set on the version.
 * After a concurrent change, it tries again with the new state, with up to 8 attempts in all.
 * @returns undefined if the retailer has no such aggregate
 * @throws ServiceError 409 `conflict` after 8 lost races, 503 if the outbox has no space for further items
 */
export async function updateVersioned<D extends Document & Aggregate, R>(
  options: VersionedUpdate<D, R>,
): Promise<R | undefined> {
  const { collection, retailer, id, decide, signal } = options;
  const budget = () => ({ ...(signal && { signal: signal() }) });
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const current: WithId<D> | null = await collection.findOne(
      { _id: id, retailer } as unknown as Filter<D>,
      budget(),
    );
    if (!current) return undefined;
    const { update, outbox = [], versions = 1, result } = await decide(current);
    if (!update) return result;
    const pendingCount = (current as WithOutbox).outbox?.length ?? 0;
    if (pendingCount + outbox.length > outboxItemsMax) {
      throw retrySoon(unavailable, {
        internal: 'too many pending events in one document',
      });
    }
    const { $inc, $push } = update as { $inc?: object; $push?: object };
    const change = {
      ...update,
      $inc: { ...$inc, version: versions },
      ...((outbox.length > 0 || $push) && {
        $push: { ...$push, ...(outbox.length > 0 && { outbox: { $each: [...outbox] } }) },
      }),
    };
    const saved = await collection.updateOne(
      { _id: id, retailer, version: (current as Aggregate).version } as unknown as Filter<D>,
      change as unknown as UpdateFilter<D>,
      budget(),
    );
    if (saved.matchedCount === 1) return result;
    await pause(Math.random() * backoffMaxMs);
  }
  throw new ServiceError(concurrentWrite);
}
