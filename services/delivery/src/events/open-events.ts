import { integratorEvents, subscriptionQueues } from '@receipts/contracts';
import { on } from '@receipts/messaging';
import { databaseTimeout, type CursorDocument } from '@receipts/storage';
import type { ModuleDependencies } from '../module-dependencies';
import type { Webhooks } from './domain/webhooks';
import { eventRetention } from './use-cases/event-retention';
import { ErasableEvents } from './storage/erasable-events';
import { EventFeeds, feedsDeclaration, type FeedDocument } from './storage/event-feeds';
import { EventLog, eventLogDeclaration, type LoggedEvent } from './storage/event-log';
import { catchUpEvents } from './use-cases/catch-up-events';
import { listEvents } from './use-cases/list-events';
import { orderEvents } from './use-cases/order-events';
import { recordEvents } from './use-cases/record-events';

const retentionLeaseMs = 60_000;
const walkLeaseMs = 15_000;

/** The event log of retailers with a feed or webhooks, and the feed. */
export async function openEvents(deps: ModuleDependencies) {
  const { database } = deps;
  const logged = await database.collection<LoggedEvent>(eventLogDeclaration);
  return {
    ...deps,
    erasableEvents: new ErasableEvents(logged),
    feeds: new EventFeeds(await database.collection<FeedDocument>(feedsDeclaration)),
    eventLog: new EventLog(logged),
    cursors: await database.collection<CursorDocument>({ name: 'event_catchup_cursors', indexes: [] }),
  };
}

type Events = Awaited<ReturnType<typeof openEvents>>;

/** What receives events, recovers lost ones and deletes old ones. */
export function eventStream(events: Events, webhooks: Webhooks) {
  const { service, broker, ask, retailer, cursors, feeds, eventLog, erasableEvents } = events;
  const { log, now, catchUpDelayMs } = events;
  const listeners = async () => {
    const signal = databaseTimeout();
    const begun = await feeds.begun(now(), signal);
    for (const [id, at] of await webhooks.begun(signal)) {
      const known = begun.get(id);
      if (!known || at < known) begun.set(id, at);
    }
    return begun;
  };
  const recordedSince = async (id: string) => (await listeners()).get(id);
  const order = orderEvents({ eventLog, ask, recordedSince });
  const record = recordEvents({ eventLog, erasableEvents, feeds, webhooks, inOrder: order, now });
  const lostEvents = catchUpEvents({
    cursors,
    ask,
    eventLog,
    listeners,
    record,
    createDeliveries: (id) => webhooks.createDeliveries(id),
    log,
    now,
    delayMs: catchUpDelayMs,
    lease: service.lease('catch up with events', walkLeaseMs),
  });
  const queue = subscriptionQueues.events;
  const lease = service.lease('delete old events', retentionLeaseMs);
  const retention = eventRetention({ eventLog, erasableEvents, webhooks, retailer, lease, log, now });
  /** Resolves once this service receives all events in full. */
  const listen = async (options: { readonly isNew: boolean }): Promise<void> => {
    await broker.bind(queue);
    // Records the position after which no event may be missed.
    if (options.isNew) lostEvents.requestRun();
  };
  return {
    listen,
    /** Fetches published events that never arrived. */
    lostEvents,
    handlers: { listEvents: listEvents({ feeds, eventLog, listen, now }) },
    /** All events in full. The queue is bound once a retailer needs them, because they are expensive. */
    subscription: {
      queue,
      subscriptions: [on(integratorEvents, record)],
      boundWhen: async () => (await listeners()).size > 0,
    },
    retention,
  };
}
