import type { Collection, Document, Filter, UpdateFilter } from 'mongodb';
import type { CloudEvent } from '@receipts/kernel';
import type { Lease } from './lease';
import type { Backlog, Log, StorageMetrics } from './log';
import { pendingFilter, type OutboxItem, type WithOutbox } from './outbox';
import { sweepOutbox, type SweepLimits } from './sweep';

/** Items of one document that were just written. */
export interface NudgeEntry<D, Id> {
  readonly _id: Id;
  readonly items: readonly OutboxItem[];
  /** Spares reading the document again to compose its commands. */
  readonly document?: D;
  /** How much memory the document holds, where it is large. */
  readonly bytes?: number;
}

export interface RelayOptions<D extends Document & WithOutbox> {
  readonly collection: Collection<D>;
  /** Publishes events; tells for each whether the broker has confirmed it. */
  publish(events: readonly CloudEvent[]): Promise<readonly boolean[]>;
  /**
   * Composes the command of an item from the document and sends it. Resolves when the broker has confirmed it; a throw, or
   * false, leaves the item for the sweeper.
   */
  custom?(document: D, item: OutboxItem): Promise<boolean | void>;
  /** Lets only one process at a time sweep this collection; without it every process sweeps. */
  readonly lease?: Lease;
  readonly log: Log;
  readonly metrics?: StorageMetrics | undefined;
  /** How often to look for what was left behind; 0 turns the sweeper off. */
  readonly sweepEveryMs?: number;
  /** Items younger than this are still in the hands of the process that wrote them. */
  readonly sweepOlderThanMs?: number;
  readonly now?: () => number;
}

export interface Relay<D, Id> {
  /** Publishes what was just written without reading it back. What does not fit into memory is left to the sweeper. */
  nudge(entries: readonly NudgeEntry<D, Id>[]): void;
  /**
   * Resolves when what was nudged before the call has been confirmed or given up to the sweeper, after 2 s at the latest.
   * For writers that want their events out before they answer.
   * @param ids waits for the items of these documents only
   */
  flush(ids?: readonly Id[]): Promise<void>;
  /** Publishes what is old; gives the number of items that were confirmed. */
  sweep(): Promise<number>;
  /** Documents with pending items, counted up to 10,000, and the age of the oldest item. */
  backlog(): Promise<Backlog>;
  /** Items of this process that are not confirmed yet. */
  readonly inHand: number;
  /** Publishes and clears what is in hand, within `graceMs`, and stops sweeping. */
  stop(graceMs?: number): Promise<void>;
}

const pendingItemsMax = 5_000;
const pendingBytesMax = 64 * 1024 * 1024;
const batchItemsMax = 500;
const batchesInFlightMax = 2;
/** Cleared together; a document whose outbox is cleared a little later costs nothing. */
const clearAfterMs = 20;
const clearItemsMax = 1_000;
const defaultSweepEveryMs = 1_000;
const defaultSweepOlderThanMs = 2_000;
const flushTimeoutMs = 2_000;
const stopGraceMs = 3_000;
const backlogCountMax = 10_000;

const sweepLimits: SweepLimits = { pageDocumentsMax: 200, pagesMax: 100 };

/** One item on its way. */
interface Pending<D, Id> {
  readonly id: Id;
  readonly item: OutboxItem;
  readonly document: D | undefined;
  readonly bytes: number;
}

class OutboxRelay<D extends Document & WithOutbox> implements Relay<D, D['_id']> {
  private readonly queue: Pending<D, D['_id']>[] = [];
  /** Ids of items that are queued, on their way or not yet cleared; the sweeper leaves them alone. */
  private readonly hand = new Set<string>();
  private bytesInHand = 0;
  private readonly confirmed: Pending<D, D['_id']>[] = [];
  private batchesInFlight = 0;
  private clearTimer: NodeJS.Timeout | undefined;
  private clearing: Promise<void> = Promise.resolve();
  private readonly unsettled = new Map<string, D['_id']>();
  private waiters: { readonly items: Set<string>; readonly done: () => void }[] = [];
  private readonly sweepTimer: NodeJS.Timeout | undefined;
  private sweeping: Promise<number> | undefined;
  private readonly now: () => number;
  private readonly name: string;
  /** Items that failed in a sweep, and when to try them again, so that they do not hold up the others. */
  private readonly postponed = new Map<string, { readonly failures: number; readonly until: number }>();

  constructor(private readonly options: RelayOptions<D>) {
    this.now = options.now ?? Date.now;
    this.name = options.collection.collectionName;
    const everyMs = options.sweepEveryMs ?? defaultSweepEveryMs;
    if (everyMs > 0) {
      this.sweepTimer = setInterval(() => void this.sweepQuietly(), everyMs).unref();
    }
    options.metrics?.observeBacklog(this.name, () => this.backlog());
  }

  get inHand(): number {
    return this.hand.size;
  }

  nudge(entries: readonly NudgeEntry<D, D['_id']>[]): void {
    for (const { _id: id, items, document, bytes = 0 } of entries) {
      for (const item of items) {
        const size = item.body.length + bytes;
        if (this.hand.size >= pendingItemsMax || this.bytesInHand + size > pendingBytesMax) continue;
        if (this.hand.has(item.id)) continue;
        this.hand.add(item.id);
        this.bytesInHand += size;
        this.unsettled.set(item.id, id);
        this.queue.push({ id, item, document, bytes: size });
      }
    }
    this.pump();
  }

  private pump(): void {
    while (this.queue.length > 0 && this.batchesInFlight < batchesInFlightMax) {
      const batch = this.queue.splice(0, batchItemsMax);
      this.batchesInFlight++;
      void this.send(batch).finally(() => {
        this.batchesInFlight--;
        this.pump();
      });
    }
  }

  private async send(batch: readonly Pending<D, D['_id']>[]): Promise<void> {
    const outcomes = await this.publishAll(batch);
    let failed = 0;
    batch.forEach((pending, i) => {
      if (outcomes[i]) this.confirmed.push(pending);
      else {
        failed++;
        this.letGo(pending);
      }
      this.unsettled.delete(pending.item.id);
    });
    this.options.metrics?.published(this.name, batch.length - failed);
    if (failed > 0) {
      this.options.metrics?.unconfirmed(this.name, failed);
      this.options.log.warn('outbox items were not confirmed', { collection: this.name, count: failed });
    }
    this.wakeWaiters();
    this.scheduleClear();
  }

  /** Publishes events together and commands each by itself. Tells for each item whether it was confirmed; never throws. */
  private async publishAll(batch: readonly Pending<D, D['_id']>[]): Promise<boolean[]> {
    const outcomes = new Array<boolean>(batch.length).fill(false);
    const at = (kind: OutboxItem['kind']) => [...batch.keys()].filter((i) => batch[i]?.item.kind === kind);
    const eventsAt = at('event');
    const events = eventsAt.map((i) => JSON.parse(batch[i]?.item.body ?? '') as CloudEvent);
    const publishEvents = async () => {
      if (events.length === 0) return;
      const confirms = await this.options.publish(events);
      eventsAt.forEach((i, n) => (outcomes[i] = confirms[n] === true));
    };
    const sendCommand = async (i: number) => {
      const pending = batch[i];
      if (pending) outcomes[i] = await this.sendCommand(pending);
    };
    const settled = await Promise.allSettled([publishEvents(), ...at('command').map(sendCommand)]);
    for (const result of settled) {
      if (result.status === 'rejected') this.logFailure('could not publish from the outbox', result.reason);
    }
    return outcomes;
  }

  private async sendCommand({ id, item, document }: Pending<D, D['_id']>): Promise<boolean> {
    const { custom, collection } = this.options;
    if (!custom) throw new Error(`nobody composes the command ${item.type}`);
    const found = document ?? (await collection.findOne<D>({ _id: id } as Filter<D>));
    // A document that was deleted in the meantime has nothing more to say.
    if (!found) return true;
    return (await custom(found, item)) !== false;
  }

  private letGo({ item, bytes }: Pending<D, D['_id']>): void {
    if (this.hand.delete(item.id)) this.bytesInHand -= bytes;
  }

  private scheduleClear(): void {
    if (this.confirmed.length === 0 || this.clearTimer) return;
    const delayMs = this.confirmed.length >= clearItemsMax ? 0 : clearAfterMs;
    this.clearTimer = setTimeout(() => {
      this.clearTimer = undefined;
      this.clearing = this.clearing.then(() => this.clear());
    }, delayMs);
  }

  /** Takes confirmed items out of their documents, by item id, in one update for all. */
  private async clear(): Promise<void> {
    while (this.confirmed.length > 0) {
      const batch = this.confirmed.splice(0, clearItemsMax);
      try {
        const ids = [...new Set(batch.map(({ id }) => id))];
        const itemIds = batch.map(({ item }) => item.id);
        await this.options.collection.updateMany(
          { _id: { $in: ids } } as Filter<D>,
          { $pull: { outbox: { id: { $in: itemIds } } } } as unknown as UpdateFilter<D>,
        );
      } catch (error) {
        // They will be published once more by the sweeper: delivery is at least once.
        this.logFailure('could not clear the outbox', error);
      }
      batch.forEach((pending) => this.letGo(pending));
    }
  }

  private wakeWaiters(): void {
    if (this.waiters.length === 0) return;
    this.waiters = this.waiters.filter(({ items, done }) => {
      for (const id of items) if (!this.unsettled.has(id)) items.delete(id);
      if (items.size > 0) return true;
      done();
      return false;
    });
  }

  flush(ids?: readonly D['_id'][]): Promise<void> {
    const wanted = ids && new Set(ids.map(String));
    const items = new Set<string>();
    for (const [itemId, id] of this.unsettled) if (!wanted || wanted.has(String(id))) items.add(itemId);
    if (items.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.waiters = this.waiters.filter((candidate) => candidate !== waiter);
        resolve();
      }, flushTimeoutMs);
      const waiter = {
        items,
        done: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      this.waiters.push(waiter);
    });
  }

  sweep(): Promise<number> {
    this.sweeping ??= this.sweepOnce().finally(() => (this.sweeping = undefined));
    return this.sweeping;
  }

  private sweepOnce(): Promise<number> {
    const { options } = this;
    return sweepOutbox<D>({
      collection: options.collection,
      lease: options.lease,
      limits: sweepLimits,
      now: this.now,
      olderThanMs: options.sweepOlderThanMs ?? defaultSweepOlderThanMs,
      postponed: this.postponed,
      isInHand: (itemId) => this.hand.has(itemId),
      send: async (found) => {
        const batch = found.map(({ id, item }) => ({
          id,
          item,
          document: undefined,
          bytes: item.body.length,
        }));
        for (const { item, bytes } of batch) {
          this.hand.add(item.id);
          this.bytesInHand += bytes;
        }
        const outcomes = await this.publishAll(batch);
        batch.forEach((pending, i) => (outcomes[i] ? this.confirmed.push(pending) : this.letGo(pending)));
        this.clearing = this.clearing.then(() => this.clear());
        await this.clearing;
        const count = outcomes.filter(Boolean).length;
        options.metrics?.published(this.name, count);
        if (count < batch.length) options.metrics?.unconfirmed(this.name, batch.length - count);
        return outcomes;
      },
    });
  }

  private async sweepQuietly(): Promise<void> {
    try {
      const count = await this.sweep();
      if (count > 0) this.options.log.info('swept the outbox', { collection: this.name, count });
    } catch (error) {
      this.logFailure('could not sweep the outbox', error);
    }
  }

  async backlog(): Promise<Backlog> {
    const { collection } = this.options;
    const [oldest] = await collection
      .find<WithOutbox>(pendingFilter as Filter<D>, {
        projection: { outbox: 1 },
        sort: { 'outbox.at': 1 },
        limit: 1,
      })
      .toArray();
    if (!oldest) return { documents: 0, oldestAgeMs: 0 };
    const ids = await collection
      .find(pendingFilter as Filter<D>, { projection: { _id: 1 }, limit: backlogCountMax })
      .toArray();
    const times = (oldest.outbox ?? []).map(({ at }) => at.getTime());
    return { documents: ids.length, oldestAgeMs: Math.max(0, this.now() - Math.min(...times)) };
  }

  async stop(graceMs: number = stopGraceMs): Promise<void> {
    clearInterval(this.sweepTimer);
    let timer: NodeJS.Timeout | undefined;
    const bound = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    const finish = async () => {
      await this.sweeping?.catch(() => undefined);
      await this.flush();
      clearTimeout(this.clearTimer);
      this.clearTimer = undefined;
      this.clearing = this.clearing.then(() => this.clear());
      await this.clearing;
      await this.options.lease?.release();
    };
    await Promise.race([
      finish().catch((error: unknown) => this.logFailure('the relay did not finish', error)),
      bound,
    ]);
    clearTimeout(timer);
  }

  private logFailure(msg: string, error: unknown): void {
    const { name, message } = error instanceof Error ? error : { name: typeof error, message: '' };
    this.options.log.warn(msg, { collection: this.name, error: name, error_message: message });
  }
}

/** Starts the relay of one collection with an outbox; see `outboxIndex` for what the collection needs. */
export function createRelay<D extends Document & WithOutbox>(options: RelayOptions<D>): Relay<D, D['_id']> {
  return new OutboxRelay(options);
}
