import { deliveryEvents, identifierEvents, receiptStoreEvents } from '@receipts/contracts';
import { groupBy } from '@receipts/concurrency';
import { type EventRecord } from '@receipts/kernel';
import { databaseTimeout } from '@receipts/storage';
import { receiptsOf, type Erased } from '../domain/event-erasure';
import type { ErasableEvents } from '../storage/erasable-events';
import type { EventFeeds } from '../storage/event-feeds';
import type { EventLog } from '../storage/event-log';
import type { EventReceivers, RetailerReceivers } from '../domain/event-receivers';
import type { orderEvents } from './order-events';

const { type: viewed } = deliveryEvents.receiptViewed;

export interface RecordEventsDependencies {
  readonly eventLog: EventLog;
  readonly erasableEvents: ErasableEvents;
  readonly feeds: EventFeeds;
  readonly receivers: EventReceivers;
  readonly inOrder: ReturnType<typeof orderEvents>;
  readonly now: () => Date;
}

/**
 * Logs the events of retailers with a feed or receivers, and passes them to the receivers. Events of other retailers
 * are ignored. A repeated event has no effect. Each subject's events are logged in order of `sequence`.
 */
export function recordEvents(deps: RecordEventsDependencies) {
  const { eventLog, feeds, receivers, inOrder: order, now } = deps;
  return async (events: readonly EventRecord[]): Promise<(Error | undefined)[]> => {
    const byRetailer = groupBy(events, ({ retailer }) => retailer);
    const retailers = [...byRetailer.keys()];
    const signal = databaseTimeout();
    // The receivers are read each time, so that a new receiver does not miss any events.
    const [receiving, read] = await Promise.all([
      receivers.of(retailers, signal),
      feeds.active(retailers, now(), signal),
    ]);
    const failures = new Map<string, Error>();
    await Promise.all(
      [...new Set([...receiving.keys(), ...read])].map(async (retailer) => {
        const own = byRetailer.get(retailer) ?? [];
        try {
          const receiver = receiving.get(retailer);
          const ordered = await order(retailer, own, receiver !== undefined);
          for (const [id, failure] of ordered.failures) failures.set(id, failure);
          await record(retailer, ordered.events, receiver);
        } catch (error) {
          for (const { id } of own) failures.set(id, error as Error);
        }
      }),
    );
    return events.map(({ id }) => failures.get(id));
  };

  async function record(
    retailer: string,
    events: readonly EventRecord[],
    receiver: RetailerReceivers | undefined,
  ): Promise<void> {
    const earlier = await eventLog.append(retailer, events, databaseTimeout(), receiver !== undefined);
    await erase(retailer, events, deps);
    if (!receiver) return;
    await receiver.deliver(events, earlier);
    const ids = events.map(({ id }) => id);
    await eventLog.received(retailer, ids, databaseTimeout());
  }
}

type EraseDependencies = Pick<RecordEventsDependencies, 'erasableEvents' | 'receivers'>;

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
  { erasableEvents, receivers }: EraseDependencies,
): Promise<void> {
  if (about.length === 0) return;
  const ids = await erasableEvents.forget(retailer, about, erased, databaseTimeout);
  await receivers.eraseResponses(retailer, ids, databaseTimeout);
}
