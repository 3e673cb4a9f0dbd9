import type { Collection, Document, Filter } from 'mongodb';
import type { SerializedEvent } from '@receipts/kernel';
import { Backoff } from './backoff';
import { EventRelay, type EventRelayOptions } from './event-relay';
import { OutboxCleanup } from './outbox-cleanup';
import {
  eventOfItem,
  oldestFirst,
  oldestItemMs,
  pendingFilter,
  type OutboxItem,
  type WithOutbox,
} from './outbox';
import type { OutboxBacklog } from './ports';
import type { KeptEvents } from './kept-events';

/** The outbox of a document that was just written. */
export interface OutboxEntry<Id> {
  readonly _id: Id;
  /** All pending items in order, so that a new item does not overtake an unconfirmed earlier item. */
  readonly items: readonly OutboxItem[];
}

export interface OutboxRelayOptions<D extends Document & WithOutbox> extends EventRelayOptions {
  /** The collection must declare `outboxIndex`. */
  readonly collection: Collection<D>;
  /**
   * Stores events before they are published, for consumers that miss them or first receive a later event for the same
   * document; absent if the events can be recreated.
   */
  readonly keptEvents?: Pick<KeptEvents, 'keep'> | undefined;
  /** Younger items are left to the process that wrote them. */
  readonly sweepOlderThanMs?: number;
}

const sweepEveryMs = 1_000;
const sweepOlderThanMsDefault = 2_000;
const backlogCountMax = 10_000;
const pageDocumentsMax = 200;
/** The maximum number of pages per sweep; the next sweep continues. */
const pagesMax = 100;
/** A sweep ends when it has skipped more documents than this. It skips those that are not due yet or have failed. */
const skippedMax = 2_000;

/**
 * Publishes the events in the outboxes of a collection, and removes them once the broker has confirmed them. An event
 * of a document never overtakes an earlier event.
 */
export class OutboxRelay<D extends Document & WithOutbox> extends EventRelay<OutboxEntry<D['_id']>> {
  private readonly cleanup: OutboxCleanup<D>;
  private readonly backoff: Backoff;

  constructor(private readonly options: OutboxRelayOptions<D>) {
    const { collection, publish, keptEvents, log } = options;
    const keepAndPublish = async (events: readonly SerializedEvent[]) => {
      await keptEvents?.keep(events);
      return publish(events);
    };
    super(
      { ...options, publish: keptEvents ? keepAndPublish : publish },
      { name: collection.collectionName, sweepEveryMs },
    );
    this.cleanup = new OutboxCleanup<D>(collection, log);
    this.backoff = new Backoff(this.now);
  }

  /** The number of documents whose items this process is publishing or removing. */
  get inFlight(): number {
    return this.queue.size + this.cleanup.size;
  }

  /**
   * Publishes a document that was just written, without reading it. Documents that exceed the memory limits are left to
   * the sweep.
   */
  enqueue(entries: readonly OutboxEntry<D['_id']>[]): void {
    for (const { _id, items } of entries) {
      const left = this.cleanup.unpublished(items);
      const bytes = left.reduce((sum, { body }) => sum + body.length, 0);
      if (left.length > 0) this.queue.add(String(_id), { _id, items: left }, bytes);
    }
    this.queue.start();
  }

  /** Documents with pending items, counted up to 10,000, and the age of the oldest item. */
  async backlog(): Promise<OutboxBacklog> {
    const { collection } = this.options;
    const filter = pendingFilter as Filter<D>;
    const [oldest] = await this.oldest(1, Infinity);
    if (!oldest) return { documents: 0, oldestAgeMs: 0 };
    const ids = await collection.find(filter, { projection: { _id: 1 }, limit: backlogCountMax }).toArray();
    return { documents: ids.length, oldestAgeMs: Math.max(0, this.now() - oldestItemMs(oldest)) };
  }

  protected unpublishedEvents({ items }: OutboxEntry<D['_id']>): readonly SerializedEvent[] {
    return this.cleanup.unpublished(items).map(eventOfItem);
  }

  protected override merge(
    waiting: OutboxEntry<D['_id']>,
    { items }: OutboxEntry<D['_id']>,
  ): OutboxEntry<D['_id']> {
    const known = new Set(waiting.items.map(({ id }) => id));
    return { ...waiting, items: [...waiting.items, ...items.filter(({ id }) => !known.has(id))] };
  }

  protected record({ _id }: OutboxEntry<D['_id']>, confirmed: readonly SerializedEvent[]): void {
    this.cleanup.add(_id, confirmed);
  }

  protected saveProgress(): Promise<void> {
    return this.cleanup.run();
  }

  /**
   * Publishes due items page by page, oldest first. Ends after a page without any confirmed item, because the broker is
   * then unavailable. A document that fails alone is postponed and does not block the others.
   */
  protected async publishLeft(): Promise<number> {
    const { lease, sweepOlderThanMs = sweepOlderThanMsDefault } = this.options;
    const writtenUntil = this.now() - sweepOlderThanMs;
    // A process that finds nothing old enough does not acquire the lease, so an idle platform writes nothing.
    if ((await this.oldest(1, writtenUntil)).length === 0) return 0;
    const skipped: D['_id'][] = [];
    let total = 0;
    for (let page = 0; page < pagesMax && skipped.length <= skippedMax; page++) {
      // The lease is acquired before the page is read: the previous holder may just have published the items.
      if (!(await lease.acquire())) return total;
      const found = await this.oldest(pageDocumentsMax, writtenUntil, skipped);
      if (found.length === 0) return total;
      const due = found.filter(({ _id }) => this.backoff.isDue(String(_id)));
      const count = await this.publishEntries(due.map(({ _id, outbox = [] }) => ({ _id, items: outbox })));
      if (due.length > 0 && count === 0) return total;
      total += count;
      skipped.push(...found.map(({ _id }) => _id).filter((id) => !this.backoff.isDue(String(id))));
    }
    return total;
  }

  /** The documents with the oldest items, if these were written until then. */
  private async oldest(countMax: number, writtenUntil: number, except: readonly D['_id'][] = []) {
    const others = except.length > 0 ? { _id: { $nin: except } } : {};
    const found = await this.options.collection
      .find<WithOutbox & { readonly _id: D['_id'] }>(
        { ...pendingFilter, ...others } as unknown as Filter<D>,
        {
          projection: { outbox: 1 },
          ...oldestFirst,
          limit: countMax,
        },
      )
      .toArray();
    return found.filter((document) => oldestItemMs(document) <= writtenUntil);
  }

  /** Returns the number of confirmed items. Documents with unconfirmed items are postponed. */
  private async publishEntries(entries: readonly OutboxEntry<D['_id']>[]): Promise<number> {
    const before = entries.map(({ items }) => this.cleanup.unpublished(items));
    // Published items that still exist could not be removed, or are about to be removed.
    entries.forEach(({ _id, items }, i) =>
      this.cleanup.add(
        _id,
        items.filter((item) => !before[i]?.includes(item)),
      ),
    );
    this.enqueue(entries);
    await this.flush(entries.map(({ _id }) => String(_id)));
    await this.cleanup.run();
    let count = 0;
    entries.forEach(({ _id, items }, i) => {
      const left = this.cleanup.unpublished(items).length;
      count += (before[i]?.length ?? 0) - left;
      if (left === 0) this.backoff.succeed(String(_id));
      else this.backoff.fail(String(_id));
    });
    return count;
  }
}
