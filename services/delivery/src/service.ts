import { adminEvents, deliveryContracts, receiptStoreFacts } from '@receipts/contracts';
import { on } from '@receipts/messaging';
import { replayHandlers } from '@receipts/storage';
import { type Service, openService, idempotent } from '@receipts/service';
import { renderingHandlers } from './rendering/use-cases/handlers';
import { sendingHandlers } from './sending/use-cases/handlers';
import { createDependencies, type ServiceDependencies } from './create-dependencies';
import { catchUpDeliveries } from './use-cases/catch-up-deliveries';
import { onPasswordResetRequested } from './sending/use-cases/on-password-reset-requested';

/** Everything that this service does. */
export async function startService(deps: ServiceDependencies): Promise<Service> {
  const service = await openService({ name: 'delivery', ...deps });
  const parts = await createDependencies(service, deps);
  const { retailers, created, mails, sender, viewNotes, webhooks } = parts;
  const walks = [mails, webhooks.lostEvents];
  const walking = walks.map((walk) => ({ start: () => walk.requestRun(), stop: () => walk.stop() }));
  const settings = on(adminEvents.retailerUpdated, (events) => retailers.apply(events));
  const receipts = on(receiptStoreFacts.receiptRecorded, created);
  const resets = on(adminEvents.passwordResetRequested, onPasswordResetRequested(parts));
  return service.start({
    contracts: deliveryContracts,
    handlers: {
      ...sendingHandlers(parts),
      ...renderingHandlers(parts),
      ...webhooks.handlers,
      catchUpDeliveries: idempotent(catchUpDeliveries(walks)),
      ...replayHandlers([service.publishedEvents]),
    },
    subscriptions: [
      { queue: 'delivery.retailers', subscriptions: [settings], exclusive: true },
      { queue: 'delivery.on-receipt-created', subscriptions: [receipts] },
      { queue: 'delivery.on-password-reset-requested', subscriptions: [resets] },
    ],
    onBrokerConnected: [() => retailers.clear(), ...walking.map(({ start }) => start)],
    background: [{ start: () => sender.wake(), stop: () => sender.stop() }, webhooks],
    afterConsumers: [...walking, viewNotes],
  });
}
