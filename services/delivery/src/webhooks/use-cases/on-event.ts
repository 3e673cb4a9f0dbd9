import {
  adminContracts,
  identifierEvents,
  receiptStoreContracts,
  type ReturnedReceipt,
} from '@receipts/contracts';
import { delegatedCall, serviceCall, ServiceError, type Call, type EventRecord } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import { databaseTimeoutMs } from '@receipts/storage';
import type { EndpointRecord } from '../domain/endpoint';
import type { EventFeeds } from '../storage/event-feeds';
import { changeBefore, placeOf } from '../domain/place';
import { newWebhookDelivery, type Wait, type WebhookDeliveryDocument } from '../storage/webhook-deliveries';
import { groupBy } from '../../use-cases/group-by';
import { filterHolds, isFiltered, wantsType, type FilterFacts } from '../domain/wants';
import type { orderEvents } from './order-events';
import type { WebhookParts } from './webhook-parts';

export interface RecordParts extends Pick<
  WebhookParts,
  'endpoints' | 'endpointLeases' | 'webhookDeliveries' | 'eventLog' | 'retailer' | 'wakeWebhooks' | 'now'
> {
  readonly feeds: EventFeeds;
  readonly ask: Broker['ask'];
  readonly order: ReturnType<typeof orderEvents>;
}

const { identifierErased } = identifierEvents;
const dayMs = 24 * 60 * 60_000;
const notFoundStatus = 404;
const gone = 410;

/** The time an event may be on its way. Events older than an endpoint by more than this are not delivered to it. */
const overlapMs = 5_000;

/**
 * Logs the events of retailers with a feed or webhooks, and creates a delivery for every endpoint that wants the event.
 * Events of other retailers are ignored. The same event twice changes nothing. Each subject's events are logged in the
 * order of `sequence`.
 */
export function onEvent(parts: RecordParts) {
  return async (events: readonly EventRecord[]): Promise<(Error | undefined)[]> => {
    const byRetailer = groupBy(events, ({ retailer }) => retailer);
    const listeners = await listenersOf([...byRetailer.keys()], parts);
    const failures = new Map<string, Error>();
    await Promise.all(
      [...listeners].map(async ([retailer, endpoints]) => {
        try {
          const ordered = await parts.order(retailer, byRetailer.get(retailer) ?? []);
          for (const [id, failure] of ordered.failures) failures.set(id, failure);
          await record(retailer, ordered.events, endpoints, parts);
        } catch (error) {
          for (const { id } of byRetailer.get(retailer) ?? []) failures.set(id, error as Error);
        }
      }),
    );
    return events.map(({ id }) => failures.get(id));
  };
}

/** The retailers whose events are logged, with their endpoints. Read each time, so that a new endpoint misses nothing. */
async function listenersOf(
  retailers: readonly string[],
  { endpoints, feeds, now }: RecordParts,
): Promise<Map<string, EndpointRecord[]>> {
  const signal = AbortSignal.timeout(databaseTimeoutMs);
  const [found, read] = await Promise.all([
    endpoints.ofRetailers(retailers, signal),
    feeds.active(retailers, now(), signal),
  ]);
  const listeners = new Map<string, EndpointRecord[]>([...read].map((retailer) => [retailer, []]));
  for (const [retailer, own] of groupBy(found, (endpoint) => endpoint.retailer)) listeners.set(retailer, own);
  return listeners;
}

async function record(
  retailer: string,
  events: readonly EventRecord[],
  endpoints: readonly EndpointRecord[],
  parts: RecordParts,
): Promise<void> {
  const budget = () => AbortSignal.timeout(databaseTimeoutMs);
  await parts.eventLog.append(retailer, events, budget());
  const forgotten = events.filter(({ type }) => type === identifierErased.type);
  const persons = forgotten.map(({ subject }) => subject);
  const about = await parts.eventLog.forget(retailer, persons, budget);
  await parts.webhookDeliveries.forgetAnswers(retailer, about, budget);
  const enabled = endpoints.filter(({ settings }) => settings.enabled);
  const wanted: WebhookDeliveryDocument[] = [];
  for (const event of events) {
    const time = new Date(event.time).getTime();
    const open = enabled.filter(({ createdAt }) => time >= createdAt.getTime() - overlapMs);
    wanted.push(...(await deliveriesOf(event, open, parts)));
  }
  if (wanted.length === 0) return;
  await parts.webhookDeliveries.add(wanted, budget());
  const ids = new Set(wanted.map(({ endpointId }) => endpointId));
  const due = [...ids].map((id) => ({ id, retailer }));
  await parts.endpointLeases.wake(due, parts.now(), budget());
  parts.wakeWebhooks();
}

/** The deliveries of one event to the endpoints that want it. */
export async function deliveriesOf(
  event: EventRecord,
  endpoints: readonly EndpointRecord[],
  parts: Pick<RecordParts, 'retailer' | 'ask' | 'now' | 'eventLog'>,
): Promise<WebhookDeliveryDocument[]> {
  const { id: eventId, type, retailer } = event;
  const candidates = endpoints.filter((endpoint) => wantsType(endpoint, type));
  if (candidates.length === 0) return [];
  const now = parts.now();
  const call = callOf(event, now);
  const { settings } = await parts.retailer(retailer, call);
  const filters = isFiltered(type) && candidates.some((endpoint) => endpoint.settings.filter !== null);
  const facts = filters ? await factsOf(event, settings, candidates, call, parts) : undefined;
  const wanting = candidates.filter(
    ({ settings: { filter } }) => filter === null || !facts || filterHolds(filter, event, facts),
  );
  const isOrdered = wanting.some((endpoint) => endpoint.settings.ordering === 'subject');
  const wait = isOrdered ? await waitOf(event, parts) : undefined;
  return wanting.map(({ id: endpointId, settings: { ordering } }) =>
    newWebhookDelivery(
      { retailer, endpointId, eventId, type, place: placeOf(event) },
      now,
      settings.event_days * dayMs,
      ordering === 'subject' ? wait : undefined,
    ),
  );
}

/**
 * Events of one subject may arrive out of order. If the previous event is not in the log, the delivery waits for it, as
 * long as an event may be on its way.
 */
async function waitOf(
  event: EventRecord,
  { eventLog, now }: Pick<RecordParts, 'eventLog' | 'now'>,
): Promise<Wait | undefined> {
  const until = new Date(new Date(event.time).getTime() + overlapMs);
  if (event.sequence === 1 || until <= now()) return undefined;
  const signal = AbortSignal.timeout(databaseTimeoutMs);
  const isNext = (await eventLog.withPredecessor(event.retailer, [event], signal)).size > 0;
  return isNext ? undefined : { until, awaits: changeBefore(event) };
}

function callOf(event: EventRecord, now: Date): Call {
  return {
    ...serviceCall('delivery', now.getTime(), event.retailer),
    requestId: event.correlationid,
  };
}

async function factsOf(
  event: EventRecord,
  settings: FilterFacts['settings'],
  endpoints: readonly EndpointRecord[],
  call: Call,
  { ask, now }: Pick<RecordParts, 'ask' | 'now'>,
): Promise<FilterFacts> {
  const { receipt: carried } = event.data as { receipt?: ReturnedReceipt };
  const receipt =
    carried ?? (await currentReceipt(event.subject, delegatedCall('delivery', call, now().getTime()), ask));
  // Filters may name a store by other names than the posted one. It is only looked up if a filter uses one.
  const namesStore = endpoints.some((endpoint) => endpoint.settings.filter?.includes('store_'));
  const reference = receipt?.store_reference;
  if (!namesStore || reference === undefined) return { settings, receipt, store: null };
  const inner = delegatedCall('delivery', call, now().getTime());
  const { store } = (await ask(adminContracts.findStore, { body: { reference } }, inner)).body;
  return { settings, receipt, store };
}

async function currentReceipt(
  id: string,
  call: Call,
  ask: Broker['ask'],
): Promise<ReturnedReceipt | undefined> {
  try {
    return (await ask(receiptStoreContracts.getReceipt, { params: { id }, query: {} }, call)).body;
  } catch (error) {
    if (error instanceof ServiceError && [notFoundStatus, gone].includes(error.status)) return undefined;
    throw error;
  }
}
