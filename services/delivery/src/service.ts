import { adminEvents, deliveryContracts, receiptStoreFacts } from '@receipts/contracts';
import { on } from '@receipts/messaging';
import { tellingAgain } from '@receipts/storage';
import { type Service, openService, idempotent } from '@receipts/service';
import { openParts, type ServiceDependencies } from './open-parts';
import { catchUpDeliveries } from './use-cases/catch-up-deliveries';
import { confirmChannelCallback } from './use-cases/confirm-channel-callback';
import { forgetAddresses } from './use-cases/forget-addresses';
import { getReceiptLinks } from './use-cases/get-receipt-links';
import { listDeliveries } from './use-cases/list-deliveries';
import { listWaitingDeliveries } from './use-cases/list-waiting-deliveries';
import { onPasswordResetRequested } from './use-cases/on-password-reset-requested';
import { receiveChannelReport } from './use-cases/receive-channel-report';
import { revokeReceiptLinks } from './use-cases/revoke-receipt-links';
import { sendReceipt } from './use-cases/send-receipt';
import { showReceipt } from './use-cases/show-receipt';
import { showReceiptPdf } from './use-cases/show-receipt-pdf';
import { showReceiptQr } from './use-cases/show-receipt-qr';
import { showUnsubscribe, unsubscribe } from './use-cases/unsubscribe';

/** Everything that this service does. */
export async function startService(deps: ServiceDependencies): Promise<Service> {
  const service = await openService({ name: 'delivery', ...deps });
  const parts = await openParts(service, deps);
  const { retailers, created, mails, sender, viewNotes, webhooks } = parts;
  const walks = [mails, webhooks.lostEvents];
  const walking = walks.map((walk) => ({ start: () => walk.want(), stop: () => walk.stop() }));
  const settings = on(adminEvents.retailerUpdated, (events) => retailers.hear(events));
  const receipts = on(receiptStoreFacts.receiptRecorded, created);
  const resets = on(adminEvents.passwordResetRequested, onPasswordResetRequested(parts));
  return service.start({
    contracts: deliveryContracts,
    handlers: {
      sendReceipt: idempotent(sendReceipt(parts)),
      listDeliveries: listDeliveries(parts),
      listWaitingDeliveries: listWaitingDeliveries(parts),
      forgetAddresses: forgetAddresses(parts.forgetting),
      receiveChannelReport: receiveChannelReport(parts),
      confirmChannelCallback: confirmChannelCallback(parts),
      getReceiptLinks: getReceiptLinks(parts),
      revokeReceiptLinks: idempotent(revokeReceiptLinks(parts), '_links'),
      showReceipt: showReceipt(parts),
      showReceiptPdf: showReceiptPdf(parts),
      showReceiptQr: showReceiptQr(parts),
      showUnsubscribe: showUnsubscribe(parts),
      unsubscribe: unsubscribe(parts),
      catchUpDeliveries: idempotent(catchUpDeliveries(walks)),
      ...webhooks.handlers,
      ...tellingAgain([service.told]),
    },
    subscriptions: [
      { queue: 'delivery.retailers', subscriptions: [settings], exclusive: true },
      { queue: 'delivery.on-receipt-created', subscriptions: [receipts] },
      { queue: 'delivery.on-password-reset-requested', subscriptions: [resets] },
    ],
    onBrokerConnected: [() => retailers.forget(), ...walking.map(({ start }) => start)],
    background: [{ start: () => sender.wake(), stop: () => sender.stop() }, webhooks],
    afterConsumers: [...walking, viewNotes],
  });
}
