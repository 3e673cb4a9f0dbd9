import { adminContracts, webhookEvents } from '@receipts/contracts';
import {
  delegatedCall,
  eventOf,
  serviceCall,
  timestampOf,
  type Call,
  type SerializedEvent,
} from '@receipts/kernel';
import { databaseTimeout } from '@receipts/storage';
import { disabled, type DisabledReason, type EndpointRecord } from '../domain/endpoint';
import { isValidFilter, type FilterFacts } from '../domain/event-filter';
import type { WebhookDependencies } from './webhook-dependencies';

interface Cause {
  readonly reason: DisabledReason;
  /** The time since which its attempts have failed. */
  readonly since?: Date | undefined;
  /** Whether the reason applies to the endpoint in its current state; otherwise it is not disabled. */
  readonly applies?: (current: EndpointRecord) => boolean;
}

/** Disables an endpoint, unless it is disabled, and ends its deliveries. */
export async function disableEndpoint(
  { id, retailer }: Pick<EndpointRecord, 'id' | 'retailer'>,
  { reason, since, applies = () => true }: Cause,
  { endpoints, webhookDeliveries, counters, log, now }: WebhookDependencies,
): Promise<void> {
  const at = now();
  const saved = await endpoints.update(
    retailer,
    id,
    (current) => (applies(current) ? disabled(current, reason, at) : current),
    databaseTimeout(),
    (next) => disabledEvents(next, { reason, since }, at),
  );
  if (!saved || saved.settings.enabled) return;
  const ended = await webhookDeliveries.failPending({ retailer, endpointId: id }, at, databaseTimeout());
  counters.ended('webhook', 'failed', 'endpoint_disabled', ended);
  log.info('a webhook endpoint was disabled', { endpoint: id, retailer, reason });
}

/** Disables an endpoint whose filter cannot be evaluated with the current settings. */
export async function disableInvalidFilter(
  endpoint: EndpointRecord,
  settings: FilterFacts['settings'],
  deps: WebhookDependencies,
): Promise<void> {
  const applies = (current: EndpointRecord) => !isValidFilter(current.settings.filter, settings);
  if (applies(endpoint)) await disableEndpoint(endpoint, { reason: 'invalid_filter', applies }, deps);
}

/** Settings as admin has them. Those known here may be a moment older than the filter of an endpoint. */
export async function currentSettings(
  retailer: string,
  call: Call,
  { ask, now }: Pick<WebhookDependencies, 'ask' | 'now'>,
): Promise<FilterFacts['settings'] | undefined> {
  const inner = delegatedCall('delivery', call, now().getTime());
  return (await ask(adminContracts.findRetailer, { body: { id: retailer } }, inner)).body.retailer?.settings;
}

function disabledEvents(
  { id, retailer, settings, version }: EndpointRecord,
  { reason, since }: Pick<Cause, 'reason' | 'since'>,
  at: Date,
): SerializedEvent[] {
  const { description, filter } = settings;
  const call = serviceCall('delivery', at.getTime(), retailer);
  const facts = { subject: id, sequence: version };
  const failing = { failing_since: since ? timestampOf(since) : null };
  const data = { id, description, reason, ...failing };
  const event = eventOf(webhookEvents.webhookEndpointDisabled, { ...facts, data }, call, at);
  if (reason !== 'invalid_filter' || filter === null) return [event];
  const detail = { id, description, disabled_reason: reason, filter };
  return [event, eventOf(webhookEvents.webhookDisabled, { ...facts, data: detail }, call, at)];
}
