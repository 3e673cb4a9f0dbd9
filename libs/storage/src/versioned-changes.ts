import type { Collection, Document, UpdateFilter, WithId } from 'mongodb';
import { ServiceError, unavailable } from '@receipts/kernel';
import { isDuplicateKey, storageFault, databaseTimeoutMs } from './faults';
import { outboxItemsMax, type OutboxItem } from './outbox';
import { updateVersioned, type Aggregate } from './update-versioned';

/** What a change makes of a state. */
export interface Changed<S> {
  /** The same object when nothing changes. */
  readonly state: S;
  /** What goes out because of the change. */
  readonly outbox: readonly OutboxItem[];
}

export interface VersionedChangesOptions<D extends Document & Aggregate, S> {
  readonly collection: Collection<D>;
  /** A ServiceError that it throws is the answer. */
  readonly stateOf: (document: WithId<D>) => S;
  /** The update that saves a state, without version and outbox. */
  readonly updateOf: (state: S) => UpdateFilter<D>;
  /** Gets what has just been written, to publish what is in the outbox; the outcome of a change waits for it. */
  readonly saved: (id: D['_id'], items: readonly OutboxItem[], state: S) => Promise<void> | void;
}

export interface Change<S> {
  readonly retailer: string;
  /** Pure; may run again on a newer state. A ServiceError that it throws is the outcome of this change alone. */
  readonly decide: (state: S) => Changed<S>;
  /** Aborts when nobody waits for the outcome any more. Each write has `databaseTimeoutMs` at most besides. */
  readonly signal: AbortSignal;
}

/** A change that somebody waits for. */
interface Waiting<S> extends Change<S> {
  readonly resolve: (state: S | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** How long the events of earlier changes get to leave a document that is full of them, before it is looked at again. */
const fullOutboxDelayMs = 20;
/** Pending events of one document together, unless it is a single one: MongoDB's documents end at 16 MiB. */
const outboxBytesMax = 4 * 1024 * 1024;

const bytesOf = (items: readonly OutboxItem[]) =>
  items.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);

/** What was decided about the changes of a batch: what goes out, and how each of them ends once it is saved. */
interface Decided<S> {
  readonly state: S;
  readonly items: readonly OutboxItem[];
  readonly settlements: readonly (() => void)[];
}

/**
 * Changes aggregates of one collection. Changes of one aggregate that come at the same time are decided one after
 * another and saved in one write, each with a version and events of its own: a hundred simultaneous writers then need
 * seven writes instead of losing a race each. Between processes compare-and-set on the version decides.
 */
export class VersionedChanges<D extends Document & Aggregate, S> {
  private readonly waiting = new Map<string, Waiting<S>[]>();

  constructor(private readonly options: VersionedChangesOptions<D, S>) {}

  /**
   * @returns the state after this change; undefined when the retailer has no such aggregate
   * @throws ServiceError what `decide` throws; 409 `conflict`, 503
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

  /** Settles the changes of a batch and gives those for which the outbox had no room. Never rejects. */
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
        signal: AbortSignal.any([patient.signal, AbortSignal.timeout(databaseTimeoutMs)]),
        decide: (document) => this.decideAll(changes, document),
      });
      if (!saved) {
        for (const change of changes) change.resolve(undefined);
        return [];
      }
      if (saved.items.length > 0) await this.options.saved(id, saved.items, saved.state);
      for (const settle of saved.settlements) settle();
      return changes.slice(saved.settlements.length);
    } catch (error) {
      if (!isDuplicateKey(error) || changes.length === 1) {
        // Whoever gave up waiting is told so, like whoever the database refuses.
        for (const change of changes) change.reject(storageFault(error) ?? error);
        return [];
      }
      // One of them takes what another aggregate has; each by itself shows which.
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
    const result = { state, items, settlements };
    if (versions === 0) return { result };
    return { update: this.options.updateOf(state), outbox: items, versions, result };
  }
}
