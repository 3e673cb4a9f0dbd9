import type { deliveryContracts, Retailer } from '@receipts/contracts';
import type { Sealer } from '@receipts/host';
import type { Call, Log } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import { databaseTimeoutMs, type GapRecovery, type Database, type CursorDocument } from '@receipts/storage';
import { type OpenService, type Served, idempotent } from '@receipts/service';
import { schedule } from './domain/schedule';
import type { TargetRules } from './domain/target';
import { EventFeeds, feedsDeclaration, type FeedDocument } from './storage/event-feeds';
import { EventLog, eventLogDeclaration, type LoggedEvent } from './storage/event-log';
import { startEventRetention } from './storage/event-retention';
import {
  WebhookDeliveries,
  webhookDeliveriesDeclaration,
  type WebhookDeliveryDocument,
} from './storage/webhook-deliveries';
import { endpointsDeclaration, WebhookEndpoints, type EndpointDocument } from './storage/webhook-endpoints';
import {
  endpointLeasesDeclaration,
  EndpointLeases,
  type EndpointLeaseDocument,
} from './storage/endpoint-leases';
import {
  recoveriesDeclaration,
  WebhookRecoveries,
  type RecoveryDocument,
} from './storage/webhook-recoveries';
import { catchUpEvents } from './use-cases/catch-up-events';
import { createWebhookEndpoint } from './use-cases/create-webhook-endpoint';
import { deleteWebhookEndpoint } from './use-cases/delete-webhook-endpoint';
import { getWebhookEndpoint } from './use-cases/get-webhook-endpoint';
import { listEvents } from './use-cases/list-events';
import { listTroubledWebhookEndpoints } from './use-cases/list-troubled-webhook-endpoints';
import { listWebhookDeliveries } from './use-cases/list-webhook-deliveries';
import { listWebhookEndpoints } from './use-cases/list-webhook-endpoints';
import { listWebhookEventTypes } from './use-cases/list-webhook-event-types';
import { onEvent } from './use-cases/on-event';
import { orderEvents } from './use-cases/order-events';
import { patchWebhookEndpoint } from './use-cases/patch-webhook-endpoint';
import { recoverWebhookEndpoint } from './use-cases/recover-webhook-endpoint';
import { replayWebhookDelivery } from './use-cases/replay-webhook-delivery';
import { rotateWebhookSecret } from './use-cases/rotate-webhook-secret';
import { testWebhookEndpoint } from './use-cases/test-webhook-endpoint';
import { attemptDelivery } from './attempt-delivery';
import { WebhookDispatcher } from './dispatcher';
import { EventSubscription } from './event-subscription';
import type { PostWebhook } from './post-webhook';
import { recovering } from './recovering';

export interface WebhookSettings {
  readonly target: TargetRules;
  readonly post: PostWebhook;
  /** Pauses before the attempts, in seconds. */
  readonly scheduleSeconds: readonly number[];
  /** 0 to 1, for the jitter. */
  readonly random?: () => number;
}

type Contracts = Pick<
  typeof deliveryContracts,
  | 'createWebhookEndpoint'
  | 'listWebhookEndpoints'
  | 'getWebhookEndpoint'
  | 'patchWebhookEndpoint'
  | 'deleteWebhookEndpoint'
  | 'rotateWebhookSecret'
  | 'testWebhookEndpoint'
  | 'listWebhookDeliveries'
  | 'replayWebhookDelivery'
  | 'recoverWebhookEndpoint'
  | 'listWebhookEventTypes'
  | 'listTroubledWebhookEndpoints'
  | 'listEvents'
>;

export interface Webhooks {
  readonly handlers: Served<Contracts>;
  readonly eventLog: EventLog;
  readonly webhookDeliveries: WebhookDeliveries;
  /** Fetches published events that never arrived. */
  readonly lostEvents: Pick<GapRecovery<never>, 'requestRun' | 'stop'>;
  stop(): Promise<void>;
}

const subscriptionLeaseMs = 10_000;
const retentionLeaseMs = 60_000;
const walkLeaseMs = 15_000;

/** Starts everything for integrators: webhooks, and the feed of events. */
export async function startWebhooks(deps: {
  readonly service: OpenService;
  readonly broker: Broker;
  readonly database: Database;
  readonly ask: Broker['ask'];
  readonly retailer: (id: string, call: Call) => Promise<Retailer>;
  readonly sealer: Sealer;
  readonly settings: WebhookSettings;
  readonly log: Log;
  readonly now: () => Date;
  readonly catchUpDelayMs?: number | undefined;
}): Promise<Webhooks> {
  const { service, broker, database, ask, retailer, sealer, settings, log, now } = deps;
  const { target, post, scheduleSeconds, random = Math.random } = settings;
  const endpointDocuments = await database.collection<EndpointDocument>(endpointsDeclaration);
  const relay = service.relay('sweep webhook endpoints', { collection: endpointDocuments });
  const endpointLeases = new EndpointLeases(
    await database.collection<EndpointLeaseDocument>(endpointLeasesDeclaration),
  );
  const feeds = new EventFeeds(await database.collection<FeedDocument>(feedsDeclaration));
  const eventLog = new EventLog(await database.collection<LoggedEvent>(eventLogDeclaration));
  const parts = {
    endpoints: new WebhookEndpoints(endpointDocuments, relay),
    endpointLeases,
    webhookDeliveries: new WebhookDeliveries(
      await database.collection<WebhookDeliveryDocument>(webhookDeliveriesDeclaration),
    ),
    recoveries: new WebhookRecoveries(await database.collection<RecoveryDocument>(recoveriesDeclaration)),
    ...{ eventLog, feeds, ask, retailer, sealer, target, post, log, now },
    schedule: schedule(scheduleSeconds, random),
    listen: async (options: { readonly isNew: boolean }) => {
      await eventSubscription.listen(options);
      // Records the position from which no event may be missed.
      if (options.isNew) lostEvents.requestRun();
    },
    wakeWebhooks: () => dispatcher.wake(),
  };
  const dispatcher = new WebhookDispatcher({
    ...parts,
    attempt: attemptDelivery(parts),
    background: recovering(parts),
  });
  const listeners = async () => {
    const signal = AbortSignal.timeout(databaseTimeoutMs);
    const begun = await feeds.begun(now(), signal);
    for (const [id, at] of await parts.endpoints.begun(signal)) {
      const known = begun.get(id);
      if (!known || at < known) begun.set(id, at);
    }
    return begun;
  };
  const recordedSince = async (id: string) => (await listeners()).get(id);
  const record = onEvent({ ...parts, order: orderEvents({ eventLog, ask, recordedSince }) });
  const lostEvents = catchUpEvents({
    cursors: await database.collection<CursorDocument>({ name: 'event_catchup_cursors', indexes: [] }),
    lease: service.lease('catch up with events', walkLeaseMs),
    delayMs: deps.catchUpDelayMs,
    ...{ ask, eventLog, listeners, record, log, now },
  });
  const eventSubscription = await EventSubscription.start({
    broker,
    isWanted: async () => {
      const signal = AbortSignal.timeout(databaseTimeoutMs);
      return (await parts.endpoints.isAnyThere(signal)) || feeds.isAnyActive(now(), signal);
    },
    handle: record,
    lease: service.lease('turn the stream of events off', subscriptionLeaseMs),
    log,
  });
  dispatcher.wake();
  const stopEventRetention = startEventRetention({
    ...{ eventLog, retailer, log, now },
    lease: service.lease('delete old events', retentionLeaseMs),
  });
  return {
    ...{ eventLog, lostEvents },
    webhookDeliveries: parts.webhookDeliveries,
    handlers: {
      createWebhookEndpoint: idempotent(createWebhookEndpoint(parts), 'secret'),
      listWebhookEndpoints: listWebhookEndpoints(parts),
      getWebhookEndpoint: getWebhookEndpoint(parts),
      patchWebhookEndpoint: patchWebhookEndpoint(parts),
      deleteWebhookEndpoint: deleteWebhookEndpoint(parts),
      rotateWebhookSecret: idempotent(rotateWebhookSecret(parts), 'secret'),
      testWebhookEndpoint: idempotent(testWebhookEndpoint(parts)),
      listWebhookDeliveries: listWebhookDeliveries(parts),
      replayWebhookDelivery: idempotent(replayWebhookDelivery(parts)),
      recoverWebhookEndpoint: idempotent(recoverWebhookEndpoint(parts)),
      listWebhookEventTypes: listWebhookEventTypes(),
      listTroubledWebhookEndpoints: listTroubledWebhookEndpoints(parts),
      listEvents: listEvents(parts),
    },
    async stop() {
      stopEventRetention();
      await eventSubscription.close();
      await dispatcher.stop();
    },
  };
}
