import { identifierEvents } from '@receipts/contracts';
import { groupBy, type EventRecord } from '@receipts/kernel';
import { databaseTimeout } from '@receipts/storage';
import type { EventFeeds } from '../storage/event-feeds';
import type { EventLog } from '../storage/event-log';
import type { EventReceivers, RetailerReceivers } from '../domain/event-receivers';
import type { orderEvents } from './order-events';

export interface RecordEventsParts {
  readonly eventLog: EventLog;
  readonly feeds: EventFeeds;
  readonly receivers: EventReceivers;
  readonly order: ReturnType<typeof orderEvents>;
  readonly now: () => Date;
}

/**
 * Logs the events of retailers with a feed or receivers, and passes them to the receivers. Events of other retailers
 * are ignored. A repeated event has no effect. Each subject's events are logged in order of `sequence`.
 */
export function recordEvents({ eventLog, feeds, receivers, order, now }: RecordEventsParts) {
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
          const ordered = await order(retailer, own, receiver?.isOrdered ?? false);
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
    await eventLog.append(retailer, events, databaseTimeout(), receiver?.isOrdered);
    await eraseConsumers(retailer, events);
    await receiver?.deliver(events);
    if (!receiver?.isOrdered) return;
    const ids = events.map(({ id }) => id);
    await eventLog.received(retailer, ids, databaseTimeout());
  }

  async function eraseConsumers(retailer: string, events: readonly EventRecord[]): Promise<void> {
    const { type } = identifierEvents.identifierErased;
    const erased = events.filter((event) => event.type === type).map(({ subject }) => subject);
    await receivers.eraseResponses(
      retailer,
      await eventLog.forget(retailer, erased, databaseTimeout),
      databaseTimeout,
    );
  }
}
