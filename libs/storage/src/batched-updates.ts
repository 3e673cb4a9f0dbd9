import type { Collection, Document, UpdateFilter, WithId } from 'mongodb';
import { BatchScheduler, pause, withTimeout } from '@receipts/concurrency';
import { ServiceError, unavailable } from '@receipts/kernel';
import { isDuplicateKey, toUnavailableError, databaseTimeoutMs } from './faults';
import { outboxItemsMax, type OutboxItem } from './outbox';
import { updateVersioned, type Aggregate } from './update-versioned';

/** The state of an aggregate that changes are applied to. */
interface Changeable {
  /** The ids of the messages that changed the aggregate, latest last. */
  readonly changedBy: readonly string[];
}

/** The result of a change. */
export interface Changed<S> {
  readonly state: S;
  /** The messages to send because of the change. */
  readonly outbox: readonly OutboxItem[];
}

export interface BatchedUpdatesOptions<D extends Document & Aggregate, S extends Changeable> {
  readonly collection: Collection<D>;
  /** May read what decisions need besides the document. A thrown ServiceError is passed to the callers. */
  readonly stateOf: (document: WithId<D>) => S | Promise<S>;
  /**
   * The update that saves a state, without the version and the outbox. It depends only on the state; a promise lets the
   * work take several turns of the event loop.
   */
  readonly updateOf: (state: S) => UpdateFilter<D> | Promise<UpdateFilter<D>>;
  /** Receives the whole outbox that has been written, and publishes it; the change resolves afterwards. */
  readonly saved: (id: D['_id'], items: readonly OutboxItem[], state: S) => Promise<void> | void;
}

export interface Change<S> {
  readonly retailer: string;
  /** The id of the message that requests the change. The broker redelivers it if its consumer crashes after the write. */
  readonly cause: string;
  /**
   * Returns undefined if nothing changes. Pure; may run again on a newer state. A thrown ServiceError rejects only this
   * change.
   */
  readonly decide: (state: S) => Changed<S> | undefined;
  /**
   * Aborts when the caller no longer waits. A write is aborted when none of its callers waits, or after
   * `databaseTimeoutMs`.
   */
  readonly signal: AbortSignal;
}

/** A queued change. */
interface Waiting<S> extends Change<S> {
  readonly resolve: (state: S | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** The changes of one aggregate. */
interface Queue<S> {
  readonly waiting: Waiting<S>[];
  readonly scheduler: BatchScheduler<Waiting<S>>;
}

/** Enough to recognize redelivered messages, as the broker redelivers only the latest messages. */
const changedByMax = 64;
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
 * each need 5 writes and do not race each other. Between processes, compare-and-set on the version decides. A message that
 * has already changed the aggregate changes nothing.
 */
export class BatchedUpdates<D extends Document & Aggregate, S extends Changeable> {
  /** The queues of the aggregates that are being changed. */
  private readonly queues = new Map<string, Queue<S>>();

  constructor(private readonly options: BatchedUpdatesOptions<D, S>) {}

  /**
   * @returns the state after this change; undefined if the retailer has no such aggregate
   * @throws ServiceError the errors of `decide`; 409 `conflict`, 503
   */
  change(id: D['_id'], change: Change<S>): Promise<S | undefined> {
    return new Promise((resolve, reject) => {
      const { waiting, scheduler } = this.queueOf(id, change.retailer);
      waiting.push({ ...change, resolve, reject });
      scheduler.start();
    });
  }

  private queueOf(id: D['_id'], retailer: string): Queue<S> {
    const key = `${retailer}\n${String(id)}`;
    const known = this.queues.get(key);
    if (known) return known;
    const waiting: Waiting<S>[] = [];
    const scheduler = new BatchScheduler<Waiting<S>>({
      waitingCount: () => waiting.length,
      take: () => waiting.splice(0, outboxItemsMax),
      concurrency: 1,
      run: async (batch) => {
        const left = await this.saveTogether(id, retailer, batch);
        waiting.unshift(...left);
        if (left.length === batch.length) await pause(fullOutboxDelayMs);
        if (waiting.length === 0) this.queues.delete(key);
      },
    });
    const queue = { waiting, scheduler };
    this.queues.set(key, queue);
    return queue;
  }

  /** Settles the changes of a batch and returns those for which the outbox had no space. Never rejects. */
  private async saveTogether(
    id: D['_id'],
    retailer: string,
    batch: readonly Waiting<S>[],
  ): Promise<readonly Waiting<S>[]> {
    const changes = batch.filter(({ signal }) => !signal.aborted);
    for (const late of batch) if (!changes.includes(late)) late.reject(new ServiceError(unavailable));
    if (changes.length === 0) return [];
    const callers = lastOf(changes.map(({ signal }) => signal));
    try {
      const saved = await updateVersioned<D, Decided<S>>({
        collection: this.options.collection,
        retailer,
        id,
        signal: () => withTimeout(callers, databaseTimeoutMs),
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

  private async decideAll(changes: readonly Waiting<S>[], document: WithId<D>) {
    const pending = (document as Aggregate).outbox ?? [];
    let room = { items: outboxItemsMax - pending.length, bytes: outboxBytesMax - bytesOf(pending) };
    const items: OutboxItem[] = [];
    const settlements: (() => void)[] = [];
    const before = await this.options.stateOf(document);
    let state = before;
    let versions = 0;
    for (const { cause, decide, resolve, reject } of changes) {
      try {
        const changed = state.changedBy.includes(cause) ? undefined : decide(state);
        const { outbox = [] } = changed ?? {};
        const next = changed ? changedBy(cause, changed.state) : state;
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
    return { update: await this.options.updateOf(state), outbox: items, versions, result };
  }
}

function changedBy<S extends Changeable>(cause: string, state: S): S {
  return { ...state, changedBy: [...state.changedBy, cause].slice(-changedByMax) };
}

/** Aborts once all these signals have aborted. */
function lastOf(signals: readonly AbortSignal[]): AbortSignal {
  const last = new AbortController();
  let left = signals.length;
  for (const signal of signals) {
    signal.addEventListener('abort', () => --left === 0 && last.abort(signal.reason), { once: true });
  }
  return last.signal;
}
