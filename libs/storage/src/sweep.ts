import type { Collection, Document, Filter } from 'mongodb';
import type { Lease } from './lease';
import { oldestFirst, pendingFilter, type OutboxItem, type WithOutbox } from './outbox';

export interface SweepLimits {
  /** Documents per page. */
  readonly pageDocumentsMax: number;
  /** Pages per sweep; the next sweep continues. */
  readonly pagesMax: number;
  /** Documents whose items are in flight, postponed or failed. The sweep ends when it has skipped more than this. */
  readonly skippedMax: number;
}

/** Failed items with the time of their next attempt, by item id. */
export type Postponed = Map<string, { readonly failures: number; readonly until: number }>;

export interface FoundItem<Id> {
  readonly id: Id;
  readonly item: OutboxItem;
}

export interface SweepOptions<D extends Document & WithOutbox> {
  readonly collection: Collection<D>;
  readonly lease: Lease;
  readonly limits: SweepLimits;
  readonly olderThanMs: number;
  readonly now: () => number;
  readonly postponed: Postponed;
  /** Watches the items that this process has in flight while a page is read; see `InFlight.watch`. */
  readonly watchInFlight: () => { isTaken(itemId: string): boolean; end(): void };
  /** Publishes and clears the items, and returns for each whether it was confirmed. */
  send(found: readonly FoundItem<D['_id']>[]): Promise<readonly boolean[]>;
}

const postponeFirstMs = 1_000;
const postponeMaxMs = 60_000;
/**
 * With this many failing items the broker is unavailable rather than the items bad, so the failure counts are
 * dropped.
 */
const postponedMax = 2_000;

function postpone(postponed: Postponed, itemId: string, now: number): void {
  if (postponed.size >= postponedMax) postponed.clear();
  const failures = (postponed.get(itemId)?.failures ?? 0) + 1;
  const delayMs = Math.min(postponeMaxMs, postponeFirstMs * 2 ** (failures - 1));
  postponed.set(itemId, { failures, until: now + delayMs });
}

/** Reads a page of documents with due items and returns those that are neither in flight nor postponed. */
async function readPage<D extends Document & WithOutbox>(
  { collection, limits, olderThanMs, now, postponed, watchInFlight }: SweepOptions<D>,
  skipped: Map<string, D['_id']>,
): Promise<{ readonly documentCount: number; readonly found: FoundItem<D['_id']>[] }> {
  const inFlight = watchInFlight();
  try {
    const cutoff = new Date(now() - olderThanMs);
    const documents = await collection
      .find<WithOutbox & { _id: D['_id'] }>(dueFilter<D>(cutoff, [...skipped.values()]), {
        projection: { outbox: 1 },
        ...oldestFirst,
        limit: limits.pageDocumentsMax,
      })
      .toArray();
    const found: FoundItem<D['_id']>[] = [];
    for (const { _id: id, outbox = [] } of documents) {
      const isDue = (item: OutboxItem) =>
        item.at <= cutoff && (postponed.get(item.id)?.until ?? 0) <= now() && !inFlight.isTaken(item.id);
      // An event never overtakes an earlier one of its document; commands have no order.
      const first = outbox.find((item) => item.kind === 'event' && !isDue(item));
      const end = first ? outbox.indexOf(first) : outbox.length;
      const due = outbox.filter((item, n) => isDue(item) && (n < end || item.kind === 'command'));
      if (due.length < outbox.length) skipped.set(String(id), id);
      for (const item of due) found.push({ id, item });
    }
    return { documentCount: documents.length, found };
  } finally {
    inFlight.end();
  }
}

function dueFilter<D extends Document>(cutoff: Date, skippedIds: readonly D['_id'][] = []): Filter<D> {
  return {
    ...pendingFilter,
    'outbox.at': { $lte: cutoff },
    ...(skippedIds.length > 0 && { _id: { $nin: skippedIds } }),
  } as unknown as Filter<D>;
}

/**
 * Publishes items that were left in outboxes, oldest first, page by page. It ends after a page without any confirmed
 * item, because the broker is then unavailable. An item that fails alone is postponed and does not block the others.
 */
export async function sweepOutbox<D extends Document & WithOutbox>(
  options: SweepOptions<D>,
): Promise<number> {
  const { collection, lease, limits, olderThanMs, now, postponed } = options;
  // A process that finds nothing due does not acquire the lease, so an idle platform writes nothing.
  const due = dueFilter<D>(new Date(now() - olderThanMs));
  if (!(await collection.findOne(due, { projection: { _id: 1 }, ...oldestFirst }))) return 0;

  const skipped = new Map<string, D['_id']>();
  let confirmedCount = 0;
  for (let page = 0; page < limits.pagesMax && skipped.size <= limits.skippedMax; page++) {
    // The lease is acquired before the page is read: its previous holder may just have published what is due.
    if (!(await lease.acquire())) return confirmedCount;
    const { documentCount, found } = await readPage(options, skipped);
    if (documentCount === 0) return confirmedCount;
    if (found.length === 0) continue;
    const outcomes = await options.send(found);
    found.forEach(({ id, item }, i) => {
      if (outcomes[i]) postponed.delete(item.id);
      else {
        skipped.set(String(id), id);
        postpone(postponed, item.id, now());
      }
    });
    const count = outcomes.filter(Boolean).length;
    confirmedCount += count;
    if (count === 0) return confirmedCount;
  }
  return confirmedCount;
}
