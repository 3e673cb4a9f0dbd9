import type { Collection, Document, Filter } from 'mongodb';
import type { SerializedEvent, Log } from '@receipts/kernel';
import { confirmedInOrder, DocumentQueue } from './document-queue';
import { InFlight, type InFlightLimits, type Pending } from './in-flight';
import { lease, leaseCollection, type Lease } from './lease';
import type { Backlog, StorageMetrics } from './ports';
import { OutboxClearing } from './outbox-clearing';
import {
  eventOfItem,
  oldestFirst,
  pendingFilter,
  type CommandItem,
  type EventItem,
  type OutboxItem,
  type WithOutbox,
} from './outbox';
import { sweepOutbox, type Postponed, type SweepLimits } from './sweep';
import type { PublishedEvents } from './published-events';

/** The outbox of a document that was just written. */
export interface OutboxEntry<D, Id> {
  readonly _id: Id;
  /** All pending items in their order, so that a new one does not overtake an earlier one that was not confirmed. */
  readonly items: readonly OutboxItem[];
  /** Saves reading the document again to compose its commands. */
  readonly document?: D;
  /** Approximate memory use of the document, if it is large. */
  readonly bytes?: number;
}

/** Publishes events; true for each one that the broker has confirmed. */
export type Publish = (events: readonly SerializedEvent[]) => Promise<readonly boolean[]>;

export interface RelayOptions<D extends Document & WithOutbox> {
  readonly collection: Collection<D>;
  readonly publish: Publish;
  /**
   * Composes the command of an item from the document and sends it. Resolves once the broker has confirmed it. If it
   * throws or returns false, the item is left to the sweep.
   */
  readonly custom?: (document: D, item: CommandItem) => Promise<boolean | void>;
  /**
   * Stores events before they are published, for consumers that miss them or receive a later one of the same document
   * first; absent where the events can be recreated.
   */
  readonly publishedEvents?: Pick<PublishedEvents, 'keep'> | undefined;
  /** Ensures that one process at a time sweeps this collection; defaults to a lease in the collection `leases`. */
  readonly lease?: Lease;
  readonly log: Log;
  readonly metrics?: StorageMetrics | undefined;
  /** The interval of the sweep; 0 turns it off. */
  readonly sweepEveryMs?: number;
  /** Younger items are left to the process that wrote them. */
  readonly sweepOlderThanMs?: number;
  readonly now?: () => number;
}

export interface Relay<D, Id> {
  /**
   * Publishes items that were just written, without reading them back. Items that exceed the memory limits are left
   * to the sweep.
   */
  enqueue(entries: readonly OutboxEntry<D, Id>[]): void;
  /**
   * Resolves when everything enqueued before the call has been confirmed or left to the sweep, after 2 s at the latest.
   * For writers that want their events published before they reply.
   * @param ids restricts the wait to the items of these documents
   */
  flush(ids?: readonly Id[]): Promise<void>;
  /** Publishes items that were left in outboxes; returns how many were confirmed. */
  sweep(): Promise<number>;
  /** Documents with pending items, counted up to 10,000, and the age of the oldest item. */
  backlog(): Promise<Backlog>;
  /** Items that this process is publishing or clearing. */
  readonly inFlight: number;
  /** Stops sweeping, and publishes and clears the items in flight within `graceMs`. */
  stop(graceMs?: number): Promise<void>;
}

const inFlightLimits: InFlightLimits = { itemsMax: 20_000, bytesMax: 64 * 1024 * 1024 };
const batchItemsMax = 500;
const batchesInFlightMax = 2;
const sweepLeaseMs = 10_000;
const defaultSweepEveryMs = 1_000;
const defaultSweepOlderThanMs = 2_000;
const flushTimeoutMs = 2_000;
const stopGraceMs = 3_000;
const backlogCountMax = 10_000;

const sweepLimits: SweepLimits = { pageDocumentsMax: 200, pagesMax: 100, skippedMax: 2_000 };

class OutboxRelay<D extends Document & WithOutbox> implements Relay<D, D['_id']> {
  private readonly queue = new DocumentQueue<D, D['_id']>();
  private readonly pendingItems = new InFlight<D, D['_id']>(inFlightLimits);
  private readonly clearing: OutboxClearing<D>;
  private batchesInFlight = 0;
  private readonly lease: Lease;
  private readonly sweepTimer: NodeJS.Timeout | undefined;
  private sweeping: Promise<number> | undefined;
  private readonly postponed: Postponed = new Map();
  private readonly now: () => number;
  private readonly name: string;

  constructor(private readonly options: RelayOptions<D>) {
    const { collection, metrics, sweepEveryMs = defaultSweepEveryMs } = options;
    this.now = options.now ?? Date.now;
    this.name = collection.collectionName;
    this.lease =
      options.lease ??
      lease(collection.db.collection(leaseCollection.name), `outbox of ${this.name}`, sweepLeaseMs, this.now);
    this.clearing = new OutboxClearing<D>({
      collection,
      removed: (pending) => this.pendingItems.complete(pending),
      left: (pending) => this.pendingItems.letGo(pending),
      failed: (error) => this.logFailure('could not clear the outbox', error),
    });
    if (sweepEveryMs > 0) this.sweepTimer = setInterval(() => void this.sweepQuietly(), sweepEveryMs).unref();
    metrics?.observeBacklog(this.name, () => this.backlog());
  }

  get inFlight(): number {
    return this.pendingItems.size;
  }

  enqueue(entries: readonly OutboxEntry<D, D['_id']>[]): void {
    for (const { _id: id, items, document, bytes = 0 } of entries) {
      for (const item of items) {
        const pending = { id, item, document, bytes: item.body.length + bytes };
        if (this.pendingItems.take(pending)) this.queue.push(pending);
      }
    }
    this.pump();
  }

  private pump(): void {
    while (this.batchesInFlight < batchesInFlightMax) {
      const batch = this.queue.take(batchItemsMax);
      if (batch.length === 0) return;
      this.batchesInFlight++;
      void this.publish(batch).then((outcomes) => {
        this.batchesInFlight--;
        const left = this.queue.end(batch, outcomes);
        for (const pending of left) this.pendingItems.letGo(pending);
        this.pendingItems.settle(left);
        this.pump();
      });
    }
  }

  /**
   * Publishes items in flight and queues the confirmed ones for clearing. Returns for each whether it was confirmed.
   * Never throws.
   */
  private async publish(batch: readonly Pending<D, D['_id']>[]): Promise<boolean[]> {
    const { metrics, log } = this.options;
    const outcomes = confirmedInOrder(batch, await this.sendAll(batch));
    const confirmed = batch.filter((_pending, i) => outcomes[i]);
    this.clearing.add(confirmed);
    batch.forEach((pending, i) => {
      if (!outcomes[i]) this.pendingItems.letGo(pending);
    });
    this.pendingItems.settle(batch);
    const failedCount = batch.length - confirmed.length;
    metrics?.published(this.name, confirmed.length);
    if (failedCount > 0) {
      metrics?.unconfirmed(this.name, failedCount);
      log.warn('outbox items were not confirmed', { collection: this.name, count: failedCount });
    }
    return outcomes;
  }

  /** Publishes all events in one call, and each command separately. */
  private async sendAll(batch: readonly Pending<D, D['_id']>[]): Promise<boolean[]> {
    const outcomes = batch.map(() => false);
    const events: EventItem[] = [];
    const indexes: number[] = [];
    const sending: Promise<void>[] = [];
    batch.forEach(({ id, item, document }, i) => {
      if (item.kind === 'event') {
        events.push(item);
        indexes.push(i);
      } else {
        const sent = this.sendCommand(id, item, document);
        sending.push(sent.then((isConfirmed) => void (outcomes[i] = isConfirmed)));
      }
    });
    const publishEvents = async () => {
      if (events.length === 0) return;
      const { publishedEvents, publish } = this.options;
      if (publishedEvents) await publishedEvents.keep(events);
      const confirms = await publish(events.map(eventOfItem));
      indexes.forEach((i, n) => (outcomes[i] = confirms[n] === true));
    };
    for (const result of await Promise.allSettled([publishEvents(), ...sending])) {
      if (result.status === 'rejected') this.logFailure('could not publish from the outbox', result.reason);
    }
    return outcomes;
  }

  private async sendCommand(id: D['_id'], item: CommandItem, document: D | undefined): Promise<boolean> {
    const { custom, collection } = this.options;
    if (!custom) throw new Error(`nobody composes the command ${item.type}`);
    const found = document ?? (await collection.findOne<D>({ _id: id } as Filter<D>));
    // The command of a deleted document is obsolete and counts as sent.
    if (!found) return true;
    return (await custom(found, item)) !== false;
  }

  flush(ids?: readonly D['_id'][]): Promise<void> {
    return this.pendingItems.whenSettled(ids, flushTimeoutMs);
  }

  sweep(): Promise<number> {
    this.sweeping ??= this.sweepOnce().finally(() => (this.sweeping = undefined));
    return this.sweeping;
  }

  private sweepOnce(): Promise<number> {
    const { collection, sweepOlderThanMs = defaultSweepOlderThanMs } = this.options;
    return sweepOutbox<D>({
      collection,
      lease: this.lease,
      limits: sweepLimits,
      now: this.now,
      olderThanMs: sweepOlderThanMs,
      postponed: this.postponed,
      watchInFlight: () => this.pendingItems.watch(),
      send: async (found) => {
        const batch = found.map(({ id, item }) => ({
          id,
          item,
          document: undefined,
          bytes: item.body.length,
        }));
        for (const pending of batch) this.pendingItems.hold(pending);
        const outcomes = await this.publish(batch);
        await this.clearing.now();
        return outcomes;
      },
    });
  }

  private async sweepQuietly(): Promise<void> {
    const { log } = this.options;
    const refused = this.pendingItems.takeRefusedCount();
    if (refused > 0)
      log.warn('outbox items did not fit into memory', { collection: this.name, count: refused });
    try {
      const count = await this.sweep();
      if (count > 0) log.info('swept the outbox', { collection: this.name, count });
    } catch (error) {
      this.logFailure('could not sweep the outbox', error);
    }
  }

  async backlog(): Promise<Backlog> {
    const { collection } = this.options;
    const filter = pendingFilter as Filter<D>;
    const [oldest] = await collection
      .find<WithOutbox>(filter, { projection: { outbox: 1 }, ...oldestFirst, limit: 1 })
      .toArray();
    if (!oldest) return { documents: 0, oldestAgeMs: 0 };
    const ids = await collection.find(filter, { projection: { _id: 1 }, limit: backlogCountMax }).toArray();
    const times = (oldest.outbox ?? []).map(({ at }) => at.getTime());
    return { documents: ids.length, oldestAgeMs: Math.max(0, this.now() - Math.min(...times)) };
  }

  async stop(graceMs: number = stopGraceMs): Promise<void> {
    clearInterval(this.sweepTimer);
    const finish = async () => {
      await this.sweeping?.catch(() => undefined);
      await this.flush();
      await this.clearing.now();
      await this.lease.release();
    };
    let timer: NodeJS.Timeout | undefined;
    const bound = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    const finished = finish().catch((error: unknown) => this.logFailure('the relay did not finish', error));
    await Promise.race([finished, bound]);
    clearTimeout(timer);
  }

  private logFailure(msg: string, error: unknown): void {
    this.options.log.warn(msg, { collection: this.name, error });
  }
}

/** Starts the relay for a collection with an outbox; the collection must declare `outboxIndex`. */
export function createRelay<D extends Document & WithOutbox>(options: RelayOptions<D>): Relay<D, D['_id']> {
  return new OutboxRelay(options);
}
