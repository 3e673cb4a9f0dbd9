import { randomBytes } from 'node:crypto';
import { webhookEndpointNotFound, type Retailer, type WebhookEndpointSettings } from '@receipts/contracts';
import type { Sealer } from '@receipts/host';
import type { ModuleDependencies } from '../../module-dependencies';
import { type Call, type FieldFault, schemaValidationFailed, ServiceError } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { EndpointRecord } from '../domain/endpoint';
import { faultOfTarget, type TargetRules } from '../../outgoing/target';
import type { EventLog } from '../../events/storage/event-log';
import type { Schedule } from '../domain/schedule';
import type { WebhookDeliveries } from '../storage/webhook-deliveries';
import type { WebhookDeliveryQueue } from '../storage/webhook-delivery-queue';
import type { WebhookEndpoints } from '../storage/webhook-endpoints';
import type { EndpointLeases } from '../storage/endpoint-leases';
import type { WebhookRecoveries } from '../storage/webhook-recoveries';
import { checkFilter } from '../domain/event-filter';

/** What the webhook use cases share. */
export interface WebhookDependencies extends Pick<
  ModuleDependencies,
  'ask' | 'retailer' | 'counters' | 'log' | 'now'
> {
  readonly endpoints: WebhookEndpoints;
  readonly endpointLeases: EndpointLeases;
  readonly webhookDeliveries: WebhookDeliveries;
  readonly deliveryQueue: WebhookDeliveryQueue;
  readonly recoveries: WebhookRecoveries;
  readonly eventLog: EventLog;
  readonly sealer: Pick<Sealer, 'seal' | 'open'>;
  readonly target: TargetRules;
  readonly schedule: Schedule;
  /** Called when there are new deliveries. */
  readonly wakeWebhooks: () => void;
  readonly wakeRecoveries: () => void;
}

/** Resolves once this service receives all events in full. */
export type Listen = (options: { readonly isNew: boolean }) => Promise<void>;

const secretBytes = 32;

/** `whsec_` and the key in base64, as in Standard Webhooks. */
export function newSecret(): string {
  return `whsec_${randomBytes(secretBytes).toString('base64')}`;
}

/** The secret that signs first. */
export function presentSecret({ secrets }: EndpointRecord, sealer: Pick<Sealer, 'open'>): string {
  const [present] = secrets;
  if (!present) throw new Error('an endpoint without a secret');
  return sealer.open(present.sealed);
}

/** @throws ServiceError 404; 403 for a caller restricted to consumers */
export async function namedEndpoint(
  { endpoints }: Pick<WebhookDependencies, 'endpoints'>,
  id: string,
  call: Call,
): Promise<EndpointRecord> {
  const found = await endpoints.find(call.retailer, id, deadlineSignal(call));
  if (!found) throw new ServiceError(webhookEndpointNotFound);
  return found;
}

/**
 * Checks the settings that depend on this installation, and on the retailer's dynamic fields.
 * @throws ServiceError 422 with every error
 */
export function checkEndpoint(
  settings: Pick<WebhookEndpointSettings, 'url' | 'filter'>,
  retailer: Pick<Retailer, 'settings'>,
  target: TargetRules,
): void {
  const errors: FieldFault[] = [];
  const message = faultOfTarget(settings.url, target);
  if (message !== undefined) errors.push({ path: '/url', code: 'invalid_url', message });
  try {
    if (settings.filter !== null) checkFilter(settings.filter, retailer.settings);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    errors.push({ path: '/filter', code: 'invalid_query', message: error.description });
  }
  if (errors.length > 0) throw new ServiceError(schemaValidationFailed, { errors });
}
