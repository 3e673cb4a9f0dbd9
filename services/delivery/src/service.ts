import {
  adminEvents,
  deliveryContracts,
  receiptStoreEvents,
  receiptStoreInternalEvents,
  retailersSource,
  subscriptionQueues,
} from '@receipts/contracts';
import type { Retailer } from '@receipts/contracts';
import { Copy, type Sealer } from '@receipts/host';
import type { Log } from '@receipts/kernel';
import { on, type Broker } from '@receipts/messaging';
import { type Service, openService, idempotent } from '@receipts/host/open-service';
import { publishedEventHandlers, type Database } from '@receipts/storage';
import { noCounters, type DeliveryCounters } from './delivery-counters';
import { eventStream, openEvents } from './events/open-events';
import { openNotifications, type NotificationSettings } from './notifications/open-notifications';
import { proofHandlers } from './proofs/handlers';
import { openProofs } from './proofs/open-proofs';
import { openRendering, type RenderingSettings } from './rendering/open-rendering';
import { renderingHandlers } from './rendering/use-cases/handlers';
import type { Wallets } from './rendering/wallet/wallets';
import { openSending, type SendingSettings } from './sending/open-sending';
import { onReceiptDeleted } from './sending/use-cases/erase-addresses';
import { sendingHandlers } from './sending/use-cases/handlers';
import { onPasswordResetRequested } from './sending/use-cases/on-password-reset-requested';
import { openWebhooks, type WebhookSettings } from './webhooks/open-webhooks';
import { webhookHandlers } from './webhooks/use-cases/handlers';

export interface ServiceDependencies extends RenderingSettings, SendingSettings, NotificationSettings {
  readonly wallets?: Wallets;
  readonly broker: Broker;
  readonly database: Database;
  readonly log: Log;
  readonly sealer: Sealer;
  readonly webhooks: WebhookSettings;
  readonly counters?: DeliveryCounters;
  readonly now?: () => Date;
  /** The delay before catching up after startup or a reconnect to the broker; 2 s by default. */
  readonly catchUpDelayMs?: number;
}

/** Automatic messages are not urgent, and larger batches cost less. */
const batchWindowMs = 250;

/** Everything that this service does. */
export async function startService(deps: ServiceDependencies): Promise<Service> {
  const { broker, log, counters = noCounters, now = () => new Date() } = deps;
  const service = await openService({ name: 'delivery', ...deps });
  const ask: Broker['ask'] = (contract, input, call) => broker.ask(contract, input, call);
  const retailers = new Copy<Retailer>({ log, ...retailersSource(ask, 'delivery') });
  const common = { ...deps, service, ask, retailer: retailers.need.bind(retailers), counters, now };
  const events = await openEvents(common);
  const { eventLog, erasableEvents } = events;
  const webhooks = await openWebhooks({ ...common, eventLog, settings: deps.webhooks });
  const { webhookDeliveries } = webhooks.deps;
  const proving = await openProofs(common);
  const rendering = { ...(await openRendering(common)), ...proving, wallets: deps.wallets ?? {} };
  const sending = await openSending({ ...common, rendering, erasableEvents, webhookDeliveries });
  const notifications = await openNotifications(common);
  const { lostReceipts, sender } = sending;
  const stream = eventStream(events, webhooks.forLog);
  const gapRecoveries = [lostReceipts, stream.lostEvents];
  const receipts = [
    on(receiptStoreInternalEvents.receiptRecorded, sending.created),
    on(receiptStoreEvents.receiptDeleted, onReceiptDeleted(sending.deps.erasure)),
  ];
  const resets = on(adminEvents.passwordResetRequested, onPasswordResetRequested(sending.deps));
  return service.start({
    contracts: deliveryContracts,
    handlers: {
      ...sendingHandlers(sending.deps),
      ...renderingHandlers(rendering),
      ...proofHandlers(rendering),
      ...webhookHandlers(webhooks.deps, stream.listen),
      ...stream.handlers,
      /** Starts catching up for the operator, without waiting for the next regular check. */
      catchUpDeliveries: idempotent(async () => {
        for (const recovery of gapRecoveries) recovery.requestRun();
        return {};
      }),
      ...publishedEventHandlers([service.keptEvents]),
    },
    subscriptions: [
      stream.subscription,
      webhooks.subscription,
      { queue: subscriptionQueues.receiptsToSend, subscriptions: receipts, batchWindowMs },
      { queue: subscriptionQueues.passwordResets, subscriptions: [resets] },
      { queue: subscriptionQueues.alertCauses, subscriptions: [notifications.caused], batchWindowMs },
    ],
    copies: [retailers],
    background: [
      sender.work,
      stream.retention,
      webhooks.dispatcher,
      webhooks.recoveries,
      ...notifications.background,
    ],
    outlivesConsumers: [...gapRecoveries, rendering.viewRecorder],
  });
}
