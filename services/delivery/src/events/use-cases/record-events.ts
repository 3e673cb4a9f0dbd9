import { deliveryEvents, identifierEvents, receiptStoreEvents } from '@receipts/contracts';
import { groupBy } from '@receipts/concurrency';
import { type EventRecord } from '@receipts/kernel';
import { databaseTimeout } from '@receipts/storage';
import { receiptsOf, type Erased } from '../domain/event-erasure';
import type { ErasableEvents } from '../storage/erasable-events';
import type { EventFeeds } from '../storage/event-feeds';
import type { EventLog } from '../storage/event-log';
import type { Webhooks } from '../domain/webhooks';
import type { orderEvents } from './order-events';

const { type: viewed } = deliveryEvents.receiptViewed;

export interface RecordEventsDependencies {
  readonly eventLog: EventLog;
  readonly erasableEvents: ErasableEvents;
  readonly feeds: EventFeeds;
  readonly webhooks: Webhooks;
  readonly inOrder: ReturnType<typeof orderEvents>;
  readonly now: () => Date;
}

/**
 * Logs the events of retailers with a feed or webhooks, and then has the deliveries to their endpoints created from the
 * log. Events of other retailers are ignored. A repeated event has no effect. Each subject's events are logged in order
 * of `sequence` as far as this process handles them; `rankOf` has the order across processes.
 */
export function recordEvents(deps: RecordEventsDependencies) {
  const { eventLog, feeds, webhooks, inOrder: order, now } = deps;
  return async (events: readonly EventRecord[]): Promise<(Error | undefined)[]> => {
    const byRetailer = groupBy(events, ({ retailer }) => retailer);
    const retailers = [...byRetailer.keys()];
    const signal = databaseTimeout();
    // Read each time, so that a new reader or endpoint does not miss any events.
    const [subscribed, read] = await Promise.all([
      webhooks.retailersAmong(retailers, signal),
      feeds.active(retailers, now(), signal),
    ]);
    const failures = new Map<string, Error>();
    await Promise.all(
      [...new Set([...subscribed, ...read])].map(async (retailer) => {
        const own = byRetailer.get(retailer) ?? [];
        try {
          const ordered = await order(retailer, own);
          for (const [id, failure] of ordered.failures) failures.set(id, failure);
          await eventLog.append(retailer, ordered.events, databaseTimeout());
          await erase(retailer, ordered.events, deps);
          await webhooks.createDeliveries(retailer);
        } catch (error) {
          for (const { id } of own) failures.set(id, error as Error);
        }
      }),
    );
    return events.map(({ id }) => failures.get(id));
  };
}

type EraseDependencies = Pick<RecordEventsDependencies, 'erasableEvents' | 'webhooks'>;

/**
 * Erases consumers and receipts whose erasure or deletion is among the events. Events of deleted receipts that arrive
 * afterwards are erased as well.
 */
async function erase(
  retailer: string,
  events: readonly EventRecord[],
  deps: EraseDependencies,
): Promise<void> {
  const subjectsOf = (type: string) =>
    events.filter((event) => event.type === type).map(({ subject }) => subject);
  const named = events.flatMap((event) => (event.type === viewed ? [event.subject] : receiptsOf(event)));
  const known = await deps.erasableEvents.deletedOf(retailer, [...new Set(named)], databaseTimeout());
  const deleted = [...subjectsOf(receiptStoreEvents.receiptDeleted.type), ...known];
  await forget(retailer, subjectsOf(identifierEvents.identifierErased.type), 'consumer', deps);
  await forget(retailer, deleted, 'receipt', deps);
}

async function forget(
  retailer: string,
  about: readonly string[],
  erased: Erased,
  { erasableEvents, webhooks }: EraseDependencies,
): Promise<void> {
  if (about.length === 0) return;
  const ids = await erasableEvents.forget(retailer, about, erased, databaseTimeout);
  await webhooks.eraseResponses(retailer, ids, databaseTimeout);
}
