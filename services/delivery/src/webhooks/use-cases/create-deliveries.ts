import { adminContracts, receiptStoreContracts, type ReturnedReceipt } from '@receipts/contracts';
import {
  delegatedCall,
  parseExactly,
  serviceCall,
  ServiceError,
  unlessStatus,
  type Call,
  type EventRecord,
} from '@receipts/kernel';
import { databaseTimeout, toUnavailableError } from '@receipts/storage';
import { rankOf, streamOf } from '../../events/domain/event-stream';
import type { LoggedEvent } from '../../events/storage/event-log';
import { currentSettings, disableInvalidFilter } from './disable-endpoint';
import type { EndpointRecord } from '../domain/endpoint';
import {
  isValidFilter,
  matchesFilter,
  isFiltered,
  matchesType,
  type FilteredReceipt,
  type FilterFacts,
} from '../domain/event-filter';
import { newWebhookDelivery, type WebhookDeliveryDocument } from '../storage/webhook-delivery-document';
import type { WebhookDependencies } from './webhook-dependencies';

const dayMs = 24 * 60 * 60_000;
const pageMax = 100;

/**
 * Creates the deliveries of a retailer's logged events in the order of the log: one for each event and each endpoint that
 * subscribes to it. Each endpoint stores how far it has read the log, after its deliveries were stored. So a call that
 * failed is completed by the next one, and a repeated call has no effect.
 */
export function createDeliveries(deps: WebhookDependencies) {
  return async (retailer: string): Promise<void> => {
    const own = await deps.endpoints.ofRetailers([retailer], databaseTimeout());
    // A filter may need another service, whose failure must not delay endpoints without a filter.
    const hasFilter = ({ settings }: EndpointRecord) => settings.filter !== null;
    await readLog(
      retailer,
      own.filter((endpoint) => !hasFilter(endpoint)),
      deps,
    );
    await readLog(retailer, own.filter(hasFilter), deps);
  };
}

async function readLog(
  retailer: string,
  own: readonly EndpointRecord[],
  deps: WebhookDependencies,
): Promise<void> {
  const { endpoints, eventLog } = deps;
  const ids = own.map(({ id }) => id);
  let after = Math.min(...own.map(({ readUpTo }) => readUpTo));
  for (let isMore = own.length > 0; isMore;) {
    const page = await eventLog.between(retailer, after, Infinity, { count: pageMax }, databaseTimeout());
    const last = page.at(-1);
    if (!last) return;
    await addDeliveries(retailer, page, own, deps);
    await endpoints.advance(retailer, ids, last.position, databaseTimeout());
    after = last.position;
    isMore = page.length === pageMax;
  }
}

async function addDeliveries(
  retailer: string,
  events: readonly LoggedEvent[],
  endpoints: readonly EndpointRecord[],
  deps: WebhookDependencies,
): Promise<void> {
  const wanted: WebhookDeliveryDocument[] = [];
  for (const event of events) {
    const open = endpoints.filter(({ settings, readUpTo }) => settings.enabled && event.position > readUpTo);
    wanted.push(...(await deliveriesOf(event, open, deps)));
  }
  if (wanted.length === 0) return;
  await deps.webhookDeliveries.add(wanted, databaseTimeout());
  const ids = new Set(wanted.map(({ endpointId }) => endpointId));
  const due = [...ids].map((id) => ({ id, retailer }));
  await deps.endpointLeases.wake(due, deps.now(), databaseTimeout());
  deps.wakeWebhooks();
}

/**
 * The deliveries of one event to the endpoints that subscribe to it. None if they cannot be created because of a fault in
 * the code, so that the event does not hold back all later ones.
 */
export async function deliveriesOf(
  event: LoggedEvent,
  endpoints: readonly EndpointRecord[],
  deps: WebhookDependencies,
): Promise<WebhookDeliveryDocument[]> {
  try {
    return await deliveriesTo(event, endpoints, deps);
  } catch (error) {
    const isTemporary = error instanceof ServiceError && error.status >= 500;
    if (isTemporary || toUnavailableError(error)) throw error;
    const { _id: id, retailer } = event;
    deps.log.error('the webhook deliveries of an event cannot be created', { event_id: id, retailer, error });
    return [];
  }
}

async function deliveriesTo(
  { text, type, retailer, at: eventAt }: LoggedEvent,
  endpoints: readonly EndpointRecord[],
  deps: WebhookDependencies,
): Promise<WebhookDeliveryDocument[]> {
  const candidates = endpoints.filter((endpoint) => matchesType(endpoint, type));
  if (candidates.length === 0) return [];
  const event = parseExactly(text) as EventRecord;
  const orderingKey = { stream: streamOf(event), rank: rankOf(event) };
  const now = deps.now();
  const call = callOf(event, now);
  const { settings } = await deps.retailer(retailer, call);
  const filters = isFiltered(type) && candidates.some((endpoint) => endpoint.settings.filter !== null);
  const facts = filters ? await factsOf(event, settings, candidates, call, deps) : undefined;
  const wanting: EndpointRecord[] = [];
  for (const endpoint of candidates) {
    if (!facts || (await isWanted(event, endpoint, { facts, call }, deps))) wanting.push(endpoint);
  }
  return wanting.map((endpoint) =>
    newWebhookDelivery(
      { retailer, endpointId: endpoint.id, eventId: event.id, eventAt, type, orderingKey },
      now,
      settings.event_days * dayMs,
    ),
  );
}

/** An endpoint whose filter has become invalid is disabled, so that it does not stop the others. */
async function isWanted(
  event: EventRecord,
  endpoint: EndpointRecord,
  { facts, call }: { readonly facts: FilterFacts; readonly call: Call },
  deps: WebhookDependencies,
): Promise<boolean> {
  const { filter } = endpoint.settings;
  if (filter === null) return true;
  if (isValidFilter(filter, facts.settings)) return matchesFilter(filter, event, facts);
  const settings = await currentSettings(event.retailer, call, deps);
  if (!settings) return false;
  if (isValidFilter(filter, settings)) return matchesFilter(filter, event, { ...facts, settings });
  await disableInvalidFilter(endpoint, settings, deps);
  return false;
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
  { ask, now }: WebhookDependencies,
): Promise<FilterFacts> {
  const isUsed = (field: string) => endpoints.some(({ settings: { filter } }) => filter?.includes(field));
  const { receipt: carried } = event.data as { receipt?: ReturnedReceipt };
  // Events do not contain the failed checks. The checks are only read if a filter uses them.
  const current =
    carried && !isUsed('checks')
      ? undefined
      : await currentReceipt(event.subject, delegatedCall('delivery', call, now().getTime()), ask);
  const receipt = carried ? { ...carried, checks: current?.checks } : current;
  // Filters may refer to a store by a name other than the posted one. The store is only looked up if a filter refers to
  // a store.
  const namesStore = isUsed('store_');
  const reference = receipt?.store_reference;
  if (!namesStore || reference === undefined) return { settings, receipt, store: null };
  const inner = delegatedCall('delivery', call, now().getTime());
  const { store } = (await ask(adminContracts.findStore, { body: { reference } }, inner)).body;
  return { settings, receipt, store };
}

async function currentReceipt(
  id: string,
  call: Call,
  ask: WebhookDependencies['ask'],
): Promise<FilteredReceipt | undefined> {
  const input = { params: { id }, query: { checks: true } };
  return (await unlessStatus(ask(receiptStoreContracts.getReceipt, input, call), 404, 410))?.body;
}
