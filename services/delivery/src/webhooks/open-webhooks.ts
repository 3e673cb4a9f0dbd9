import { adminEvents, subscriptionQueues } from '@receipts/contracts';
import type { Sealer } from '@receipts/host';
import { on } from '@receipts/messaging';
import type { Webhooks } from '../events/domain/webhooks';
import type { EventLog } from '../events/storage/event-log';
import type { ModuleDependencies } from '../module-dependencies';
import { DeliveryAttempts } from './use-cases/attempt-delivery';
import { WebhookDispatcher } from './use-cases/webhook-dispatcher';
import { schedule } from './domain/schedule';
import type { TargetRules } from '../outgoing/target';
import type { PostWebhook } from './http/post-webhook';
import { recoveryWork } from './use-cases/recovery-work';
import {
  endpointLeasesDeclaration,
  EndpointLeases,
  type EndpointLeaseDocument,
} from './storage/endpoint-leases';
import { WebhookDeliveries } from './storage/webhook-deliveries';
import {
  webhookDeliveriesDeclaration,
  type WebhookDeliveryDocument,
} from './storage/webhook-delivery-document';
import { WebhookDeliveryQueue } from './storage/webhook-delivery-queue';
import { endpointsDeclaration, WebhookEndpoints, type EndpointDocument } from './storage/webhook-endpoints';
import {
  recoveriesDeclaration,
  WebhookRecoveries,
  type RecoveryDocument,
} from './storage/webhook-recoveries';
import { createDeliveries } from './use-cases/create-deliveries';
import { onRetailerUpdated } from './use-cases/on-retailer-updated';
import type { WebhookDependencies } from './use-cases/webhook-dependencies';

export interface WebhookSettings {
  readonly target: TargetRules;
  readonly post: PostWebhook;
  /** The pauses after failed attempts, in seconds. */
  readonly retrySeconds: readonly number[];
  /** 0 to 1, for the jitter. */
  readonly random?: () => number;
}

/** Webhook endpoints, and the deliveries of events to them. */
export async function openWebhooks(
  deps: ModuleDependencies & {
    readonly sealer: Sealer;
    readonly eventLog: EventLog;
    readonly settings: WebhookSettings;
  },
) {
  const { service, database, sealer, eventLog, settings, ask, retailer, counters, log, now } = deps;
  const { target, post, retrySeconds, random = Math.random } = settings;
  const collection = await database.collection<EndpointDocument>(endpointsDeclaration);
  const leases = await database.collection<EndpointLeaseDocument>(endpointLeasesDeclaration);
  const deliveries = await database.collection<WebhookDeliveryDocument>(webhookDeliveriesDeclaration);
  const useCaseDeps: WebhookDependencies = {
    endpoints: new WebhookEndpoints(collection, service.relay('sweep webhook endpoints', { collection })),
    endpointLeases: new EndpointLeases(leases),
    webhookDeliveries: new WebhookDeliveries(deliveries),
    deliveryQueue: new WebhookDeliveryQueue(deliveries),
    recoveries: new WebhookRecoveries(await database.collection<RecoveryDocument>(recoveriesDeclaration)),
    eventLog,
    ask,
    retailer,
    sealer,
    target,
    counters,
    log,
    now,
    schedule: schedule(retrySeconds, random),
    wakeWebhooks: () => dispatcher.wake(),
    wakeRecoveries: () => recoveries.wake(),
  };
  const dispatcher = new WebhookDispatcher({
    ...useCaseDeps,
    attempts: new DeliveryAttempts({ ...useCaseDeps, post }),
  });
  const recoveries = recoveryWork(useCaseDeps);
  const updated = on(adminEvents.retailerUpdated, onRetailerUpdated(useCaseDeps));
  const subscription = { queue: subscriptionQueues.filtersToCheck, subscriptions: [updated] };
  const { endpoints, webhookDeliveries } = useCaseDeps;
  const forLog: Webhooks = {
    begun: (...which) => endpoints.begun(...which),
    async retailersAmong(...which) {
      return new Set((await endpoints.ofRetailers(...which)).map(({ retailer: id }) => id));
    },
    createDeliveries: createDeliveries(useCaseDeps),
    oldestPending: (...which) => webhookDeliveries.oldestPending(...which),
    eraseResponses: (...which) => webhookDeliveries.eraseResponses(...which),
  };
  return {
    deps: useCaseDeps,
    dispatcher,
    recoveries,
    forLog,
    subscription,
  };
}
