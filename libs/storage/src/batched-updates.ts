import type { Collection, Document, UpdateFilter, WithId } from 'mongodb';
import { ServiceError, unavailable, withTimeout } from '@receipts/kernel';
import { isDuplicateKey, toUnavailableError, databaseTimeoutMs } from './faults';
import { outboxItemsMax, type OutboxItem } from './outbox';
import { updateVersioned, type Aggregate } from './update-versioned';

/** The result of a change. */
export interface Changed<S> {
  /** The same object if nothing changes. */
  readonly state: S;
  /** The messages to send because of the change. */
  readonly outbox: readonly OutboxItem[];
}

export interface BatchedUpdatesOptions<D extends Document & Aggregate, S> {
  readonly collection: Collection<D>;
  /** A thrown ServiceError is passed to the callers. */
  readonly stateOf: (document: WithId<D>) => S;
  /** The update that saves a state, without the version and the outbox. */
  readonly updateOf: (state: S) => UpdateFilter<D>;
  /** Receives the whole outbox that has been written, and publishes it; the change resolves afterwards. */
  readonly saved: (id: D['_id'], items: readonly OutboxItem[], state: S) => Promise<void> | void;
}

export interface Change<S> {
  readonly retailer: string;
  /** Pure; may run again on a newer state. A thrown ServiceError rejects only this change. */
  readonly decide: (state: S) => Changed<S>;
  /** Aborts when the caller no longer waits. Each write is also limited to `databaseTimeoutMs`. */
  readonly signal: AbortSignal;
}

/** A queued change. */
interface Waiting<S> extends Change<S> {
  readonly resolve: (state: S | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** How long to wait for the relay before a change to a document with a full outbox is retried. */
const fullOutboxDelayMs = 20;
/**
 * Maximum size of a document's pending items, because MongoDB limits documents to 16 MiB. A change to an empty outbox
 * may exceed this limit.
 */
const outboxBytesMax = 4 * 1024 * 1024;

const bytesOf = (items: readonly OutboxItem[]) =>
  items.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);

/** The decided changes of a batch: their items, and how to settle each change after the write. */
interface Decided<S> {
  readonly state: S;
  /** The whole outbox; empty if nothing was added. */
  readonly outbox: readonly OutboxItem[];
  readonly settlements: readonly (() => void)[];
}

/**
 * Changes aggregates of one collection. Concurrent changes of one aggregate are queued, decided one after another, and
 * saved in batches, each change with its own version and events. For example, 100 concurrent changes with one event
 * each need 5 writes and do not race each other. Between processes, compare-and-set on the version decides.
 */
export class BatchedUpdates<D extends Document & Aggregate, S> {
  private readonly waiting = new Map<string, Waiting<S>[]>();

  constructor(private readonly options: BatchedUpdatesOptions<D, S>) {}

  /**
   * @returns the state after this change; undefined if the retailer has no such aggregate
   * @throws ServiceError the errors of `decide`; 409 `conflict`, 503
   */
  change(id: D['_id'], change: Change<S>): Promise<S | undefined> {
    return new Promise((resolve, reject) => {
      const waiting = { ...change, resolve, reject };
      const key = `${change.retailer}\n${String(id)}`;
      const queue = this.waiting.get(key);
      if (queue) queue.push(waiting);
      else {
        const begun = [waiting];
        this.waiting.set(key, begun);
        void this.work(id, change.retailer, begun, key);
      }
    });
  }

  private async work(id: D['_id'], retailer: string, queue: Waiting<S>[], key: string): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.splice(0, outboxItemsMax);
      const left = await this.saveTogether(id, retailer, batch);
      queue.unshift(...left);
      if (left.length === batch.length) {
        await new Promise((resolve) => setTimeout(resolve, fullOutboxDelayMs));
      }
    }
    this.waiting.delete(key);
  }

  /** Settles the changes of a batch and returns those for which the outbox had no space. Never rejects. */
  private async saveTogether(
    id: D['_id'],
    retailer: string,
    batch: readonly Waiting<S>[],
  ): Promise<readonly Waiting<S>[]> {
    const changes = batch.filter(({ signal }) => !signal.aborted);
    for (const late of batch) if (!changes.includes(late)) late.reject(new ServiceError(unavailable));
    const patient = changes.at(-1);
    if (!patient) return [];
    try {
      const saved = await updateVersioned<D, Decided<S>>({
        collection: this.options.collection,
        retailer,
        id,
        signal: withTimeout(patient.signal, databaseTimeoutMs),
        decide: (document) => this.decideAll(changes, document),
      });
      if (!saved) {
        for (const change of changes) change.resolve(undefined);
        return [];
      }
      if (saved.outbox.length > 0) await this.options.saved(id, saved.outbox, saved.state);
      for (const settle of saved.settlements) settle();
      return changes.slice(saved.settlements.length);
    } catch (error) {
      if (!isDuplicateKey(error) || changes.length === 1) {
        // An aborted signal becomes a 503, like an unavailable database.
        for (const change of changes) change.reject(toUnavailableError(error) ?? error);
        return [];
      }
      // One of the changes violates a unique index; saving them one by one shows which.
      const left: Waiting<S>[] = [];
      for (const change of changes) left.push(...(await this.saveTogether(id, retailer, [change])));
      return left;
    }
  }

  private decideAll(changes: readonly Waiting<S>[], document: WithId<D>) {
    const pending = (document as Aggregate).outbox ?? [];
    let room = { items: outboxItemsMax - pending.length, bytes: outboxBytesMax - bytesOf(pending) };
    const items: OutboxItem[] = [];
    const settlements: (() => void)[] = [];
    const before = this.options.stateOf(document);
    let state = before;
    let versions = 0;
    for (const { decide, resolve, reject } of changes) {
      try {
        const { state: next, outbox } = decide(state);
        room = { items: room.items - outbox.length, bytes: room.bytes - bytesOf(outbox) };
        const isAlone = pending.length + items.length === 0;
        if (room.items < 0 || (room.bytes < 0 && !isAlone)) break;
        items.push(...outbox);
        if (next !== state) versions++;
        state = next;
        settlements.push(() => resolve(next));
      } catch (error) {
        settlements.push(() => reject(error));
      }
    }
    const outbox = items.length > 0 ? [...pending, ...items] : [];
    const result = { state, outbox, settlements };
    if (versions === 0) return { result };
    return { update: this.options.updateOf(state), outbox: items, versions, result };
  }
}
