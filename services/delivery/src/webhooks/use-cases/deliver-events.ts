import { adminContracts, receiptStoreContracts, type ReturnedReceipt } from '@receipts/contracts';
import { groupBy } from '@receipts/concurrency';
import { delegatedCall, serviceCall, unlessStatus, type Call, type EventRecord } from '@receipts/kernel';
import { databaseTimeout } from '@receipts/storage';
import type { EarlierNumbers, EventReceivers } from '../../events/domain/event-receivers';
import { orderingKeyOf } from '../../events/domain/ordering-key';
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

/** The endpoints of retailers as receivers of their events. */
export const endpointReceivers = (deps: WebhookDependencies): EventReceivers => ({
  begun: (signal) => deps.endpoints.begun(signal),
  async of(retailers, signal) {
    const found = groupBy(await deps.endpoints.ofRetailers(retailers, signal), ({ retailer }) => retailer);
    return new Map(
      [...found].map(([id, own]) => {
        const enabled = own.filter(({ settings }) => settings.enabled);
        return [
          id,
          {
            deliver: (events, earlier) => addDeliveries(id, events, { earlier, endpoints: enabled }, deps),
          },
        ];
      }),
    );
  },
  oldestPending: (...which) => deps.webhookDeliveries.oldestPending(...which),
  eraseResponses: (...which) => deps.webhookDeliveries.eraseResponses(...which),
});

/**
 * Creates a delivery for every endpoint that subscribes to an event and was created before the event was logged. The
 * times of both are those of different machines.
 */
async function addDeliveries(
  retailer: string,
  events: readonly EventRecord[],
  { earlier, endpoints }: { earlier: EarlierNumbers; endpoints: readonly EndpointRecord[] },
  deps: WebhookDependencies,
): Promise<void> {
  const wanted: WebhookDeliveryDocument[] = [];
  for (const event of events) {
    // An event that the log did not have is later than every endpoint.
    const number = earlier.get(event.id) ?? Infinity;
    const open = endpoints.filter(({ afterEvent }) => number > afterEvent);
    wanted.push(...(await deliveriesOf(event, open, deps)));
  }
  if (wanted.length === 0) return;
  await deps.webhookDeliveries.add(wanted, databaseTimeout());
  const ids = new Set(wanted.map(({ endpointId }) => endpointId));
  const due = [...ids].map((id) => ({ id, retailer }));
  await deps.endpointLeases.wake(due, deps.now(), databaseTimeout());
  deps.wakeWebhooks();
}

/** The deliveries of one event to the endpoints that subscribe to it. */
export async function deliveriesOf(
  event: EventRecord,
  endpoints: readonly EndpointRecord[],
  deps: WebhookDependencies,
): Promise<WebhookDeliveryDocument[]> {
  const { id: eventId, type, retailer } = event;
  const eventAt = new Date(event.time);
  const candidates = endpoints.filter((endpoint) => matchesType(endpoint, type));
  if (candidates.length === 0) return [];
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
      { retailer, endpointId: endpoint.id, eventId, eventAt, type, orderingKey: orderingKeyOf(event) },
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
