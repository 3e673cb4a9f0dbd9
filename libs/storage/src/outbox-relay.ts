import type { Collection, Document, Filter } from 'mongodb';
import { within, type Log } from '@receipts/kernel';
import { Backoff } from './backoff';
import type { Lease } from './lease';
import { OutboxCleanup } from './outbox-cleanup';
import { eventOfItem, oldestFirst, pendingFilter, type OutboxItem, type WithOutbox } from './outbox';
import { PeriodicTask } from './periodic-task';
import type { Backlog, StorageMetrics } from './ports';
import { PublishQueue, type Publish, type Published } from './publish-queue';
import type { PublishedEvents } from './published-events';

/** The outbox of a document that was just written. */
export interface OutboxEntry<Id> {
  readonly _id: Id;
  /** All pending items in their order, so that a new one does not overtake an earlier one that was not confirmed. */
  readonly items: readonly OutboxItem[];
}

export interface OutboxRelayOptions<D extends Document & WithOutbox> {
  /** It must declare `outboxIndex`. */
  readonly collection: Collection<D>;
  readonly publish: Publish;
  /**
   * Stores events before they are published, for consumers that miss them or receive a later one of the same document
   * first; absent where the events can be recreated.
   */
  readonly publishedEvents?: Pick<PublishedEvents, 'keep'> | undefined;
  /** Ensures that one process at a time sweeps this collection. */
  readonly lease: Lease;
  readonly log: Log;
  readonly metrics?: StorageMetrics | undefined;
  /** The interval of the sweep; 0 turns it off. */
  readonly sweepEveryMs?: number;
  /** Younger items are left to the process that wrote them. */
  readonly sweepOlderThanMs?: number;
  readonly now?: () => number;
}

type Found<Id> = WithOutbox & { readonly _id: Id };

const sweepEveryMsDefault = 1_000;
const sweepOlderThanMsDefault = 2_000;
const stopGraceMs = 3_000;
const backlogCountMax = 10_000;
const pageDocumentsMax = 200;
/** Pages per sweep; the next sweep continues. */
const pagesMax = 100;
/** A sweep ends when it has skipped more documents than this, because they are in flight, not due yet, or failed. */
const skippedMax = 2_000;

/**
 * Publishes the events in the outboxes of a collection, and removes them once the broker has confirmed them: those of
 * this process's writes at once, and those left by any process in a sweep. An event of a document never overtakes an
 * earlier one.
 */
export class OutboxRelay<D extends Document & WithOutbox> {
  private readonly name: string;
  private readonly now: () => number;
  private readonly queue: PublishQueue<OutboxEntry<D['_id']>>;
  private readonly cleanup: OutboxCleanup<D>;
  private readonly backoff: Backoff;
  private readonly sweeper: PeriodicTask<number>;

  constructor(private readonly options: OutboxRelayOptions<D>) {
    const { collection, publish, publishedEvents, log, metrics } = options;
    const { sweepEveryMs = sweepEveryMsDefault, now = Date.now } = options;
    this.now = now;
    this.name = collection.collectionName;
    this.backoff = new Backoff(now);
    this.cleanup = new OutboxCleanup<D>(collection, log);
    const keepAndPublish: Publish = async (events) => {
      await publishedEvents?.keep(events);
      return publish(events);
    };
    this.queue = new PublishQueue({
      ...{ name: this.name, log, metrics },
      publish: publishedEvents ? keepAndPublish : publish,
      eventsOf: ({ items }) => this.cleanup.unpublished(items).map(eventOfItem),
      merge: (waiting, { items }) => {
        const known = new Set(waiting.items.map(({ id }) => id));
        return { ...waiting, items: [...waiting.items, ...items.filter(({ id }) => !known.has(id))] };
      },
      onPublished: (outcomes) => {
        for (const { value, confirmed } of outcomes) this.cleanup.add(value._id, confirmed);
      },
    });
    this.sweeper = new PeriodicTask({
      everyMs: sweepEveryMs,
      run: () => this.sweepOnce(),
      onDone: (count) => this.logSweep(count),
      ...{ log, failure: `could not sweep the outbox of ${this.name}` },
    });
    metrics?.observeBacklog(this.name, () => this.backlog());
  }

  /** The number of documents whose items this process is publishing or removing. */
  get inFlight(): number {
    return this.queue.size + this.cleanup.size;
  }

  /**
   * Publishes a document that was just written, without reading it. Documents that exceed the limits of memory are left
   * to the sweep.
   */
  enqueue(entries: readonly OutboxEntry<D['_id']>[]): void {
    for (const { _id, items } of entries) {
      const left = this.cleanup.unpublished(items);
      const bytes = left.reduce((sum, { body }) => sum + body.length, 0);
      if (left.length > 0) this.queue.add(String(_id), { _id, items: left }, bytes);
    }
    this.queue.start();
  }

  /**
   * Resolves when everything that was enqueued before has been confirmed or left to the sweep, after 2 s at the latest.
   * For writers that want their events published before they reply.
   * @param ids restricts the wait to the items of these documents
   */
  flush(ids?: readonly D['_id'][]): Promise<void> {
    return this.queue.flush(ids?.map(String));
  }

  /** Publishes items that were left in outboxes; returns how many were confirmed. */
  sweep(): Promise<number> {
    return this.sweeper.run();
  }

  /** Documents with pending items, counted up to 10,000, and the age of the oldest item. */
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

  /** Stops sweeping, and publishes and removes the items in flight within `graceMs`. */
  async stop(graceMs: number = stopGraceMs): Promise<void> {
    const finish = async () => {
      await this.sweeper.stop();
      await this.flush();
      await this.cleanup.run();
      await this.options.lease.release();
    };
    await within(graceMs, 'publishing what is in flight', finish()).catch((error: unknown) =>
      this.options.log.warn('the relay did not finish', { collection: this.name, error }),
    );
  }

  /**
   * Publishes due items page by page, oldest first. It ends after a page without any confirmed item, because the broker
   * is then unavailable. A document that fails alone is postponed and does not block the others.
   */
  private async sweepOnce(): Promise<number> {
    const { collection, sweepOlderThanMs = sweepOlderThanMsDefault } = this.options;
    const cutoff = new Date(this.now() - sweepOlderThanMs);
    // A process that finds nothing due does not acquire the lease, so an idle platform writes nothing.
    if (!(await collection.findOne(dueFilter<D>(cutoff), { projection: { _id: 1 }, ...oldestFirst })))
      return 0;
    const skipped: D['_id'][] = [];
    let total = 0;
    for (let page = 0; page < pagesMax && skipped.length <= skippedMax; page++) {
      // The lease is acquired before the page is read: its previous holder may just have published the items.
      if (!(await this.options.lease.acquire())) return total;
      const documents = await collection
        .find<Found<D['_id']>>(dueFilter<D>(cutoff, skipped), {
          projection: { outbox: 1 },
          ...oldestFirst,
          limit: pageDocumentsMax,
        })
        .toArray();
      if (documents.length === 0) return total;
      const due = documents.flatMap((document) => this.dueOf(document, cutoff) ?? []);
      const dueIds = new Set(due.map(({ key }) => key));
      for (const { _id } of documents) if (!dueIds.has(String(_id))) skipped.push(_id);
      if (due.length === 0) continue;
      const outcomes = await this.queue.publish(due);
      await this.cleanup.run();
      skipped.push(...this.postponed(outcomes));
      const count = outcomes.reduce((sum, { confirmed }) => sum + confirmed.length, 0);
      total += count;
      if (count === 0) return total;
    }
    return total;
  }

  /** Undefined when nothing in the document is due. Later items wait for an earlier one that is not due. */
  private dueOf({ _id, outbox = [] }: Found<D['_id']>, cutoff: Date) {
    const key = String(_id);
    if (this.queue.has(key) || !this.backoff.isDue(key)) return undefined;
    const firstYoung = outbox.findIndex(({ at }) => at > cutoff);
    const old = firstYoung === -1 ? outbox : outbox.slice(0, firstYoung);
    const items = this.cleanup.unpublished(old);
    // They were published, but removing them has failed, or the page was read before.
    if (items.length < old.length)
      this.cleanup.add(
        _id,
        old.filter((item) => !items.includes(item)),
      );
    return items.length > 0 ? { key, value: { _id, items } } : undefined;
  }

  private postponed(outcomes: readonly Published<OutboxEntry<D['_id']>>[]): D['_id'][] {
    return outcomes.flatMap(({ value: { _id }, isComplete }) => {
      if (isComplete) this.backoff.succeed(String(_id));
      else this.backoff.fail(String(_id));
      return isComplete ? [] : [_id];
    });
  }

  private logSweep(count: number): void {
    const { log } = this.options;
    const refused = this.queue.takeRefusedCount();
    if (refused > 0)
      log.warn('outbox items did not fit into memory', { collection: this.name, count: refused });
    if (count > 0) log.info('swept the outbox', { collection: this.name, count });
  }
}

function dueFilter<D extends Document>(cutoff: Date, skipped: readonly D['_id'][] = []): Filter<D> {
  const except = skipped.length > 0 ? { _id: { $nin: skipped } } : {};
  return { ...pendingFilter, 'outbox.at': { $lte: cutoff }, ...except } as unknown as Filter<D>;
}
