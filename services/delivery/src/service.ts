import { adminEvents, deliveryContracts, receiptStoreFacts } from '@receipts/contracts';
import type { Sealer } from '@receipts/host';
import { linkTokens, type Handlers } from '@receipts/kernel';
import { on, type Broker } from '@receipts/messaging';
import {
  createRelay,
  guardHandlers,
  idempotencyCollection,
  idempotent,
  lease,
  leaseCollection,
  type IdempotencyRecord,
  type LeaseDocument,
  type Log,
  type PlaceDocument,
  type Store,
} from '@receipts/storage';
import { providerAccounts, type ChannelAccounts } from './channels/accounts';
import type { Mailer } from './channels/email';
import { receiptChannels } from './channels/receipt-channels';
import { Deliveries, deliveriesDeclaration, type DeliveryDocument } from './storage/deliveries';
import {
  ReceiptLinkGenerations,
  receiptLinksDeclaration,
  type ReceiptLinkDocument,
} from './storage/receipt-links';
import { ReceiptViews, receiptViewsDeclaration, type ReceiptViewsDocument } from './storage/receipt-views';
import { RetailerCopies } from './storage/retailer-copies';
import { catchUpDeliveries } from './use-cases/catch-up-deliveries';
import { catchUpMails } from './use-cases/catch-up-mails';
import { confirmChannelCallback } from './use-cases/confirm-channel-callback';
import { forgetAddresses } from './use-cases/forget-addresses';
import { getReceiptLinks } from './use-cases/get-receipt-links';
import { listDeliveries } from './use-cases/list-deliveries';
import { ViewNotes } from './use-cases/note-view';
import { onPasswordResetRequested } from './use-cases/on-password-reset-requested';
import { onReceiptCreated } from './use-cases/on-receipt-created';
import { receiveChannelReport } from './use-cases/receive-channel-report';
import { revokeReceiptLinks } from './use-cases/revoke-receipt-links';
import { DueSender } from './use-cases/send-due';
import { sendReceipt } from './use-cases/send-receipt';
import { showReceipt } from './use-cases/show-receipt';
import { showReceiptPdf } from './use-cases/show-receipt-pdf';
import { showReceiptQr } from './use-cases/show-receipt-qr';
import { showUnsubscribe, unsubscribe } from './use-cases/unsubscribe';
import { startWebhooks, type WebhookSettings } from './webhooks/start-webhooks';

const sweepLeaseMs = 10_000;
const walkLeaseMs = 15_000;

export interface Service {
  /** Ends what was begun and publishes its events; broker and store stay open. */
  stop(): Promise<void>;
}

/** Everything that this service does. */
export async function startDeliveryService(deps: {
  broker: Broker;
  store: Store;
  log: Log;
  /** Absent where there is no mail server. */
  mailer?: Pick<Mailer, 'send'> | undefined;
  /** See `SenderParts`. */
  repeatsUnknown?: boolean;
  mailFrom: string;
  /** Accounts with providers of messages. */
  accounts: ChannelAccounts;
  /** Seals the links of renderings; the same as receipt-store's. */
  idSecret: string;
  publicUrl: string;
  sealer: Sealer;
  webhooks: WebhookSettings;
  now?: () => Date;
  /** How long after the start, or after the broker came back, the service catches up; 2 s unless given. */
  catchUpDelayMs?: number;
}): Promise<Service> {
  const { broker, store, log, mailer, mailFrom, publicUrl, sealer, now = () => new Date() } = deps;
  const collection = await store.collection<DeliveryDocument>(deliveriesDeclaration);
  const keys = await store.collection<IdempotencyRecord>(idempotencyCollection);
  const leases = await store.collection<LeaseDocument>(leaseCollection);
  const deliveries = new Deliveries(collection);
  const relay = createRelay({
    collection,
    publish: (events) => broker.publish(events),
    lease: lease(leases, 'sweep deliveries', sweepLeaseMs),
    log,
    metrics: store.metrics,
  });
  const ask: Broker['ask'] = (contract, input, call) => broker.ask(contract, input, call);
  const copies = new RetailerCopies(ask, now);
  const retailer = copies.find.bind(copies);
  const generations = new ReceiptLinkGenerations(
    await store.collection<ReceiptLinkDocument>(receiptLinksDeclaration),
  );
  const viewDocuments = await store.collection<ReceiptViewsDocument>(receiptViewsDeclaration);
  const viewsRelay = createRelay({
    collection: viewDocuments,
    publish: (events) => broker.publish(events),
    lease: lease(leases, 'sweep views of receipts', sweepLeaseMs),
    log,
    metrics: store.metrics,
  });
  const viewNotes = new ViewNotes({ views: new ReceiptViews(viewDocuments), viewsRelay, log, now });
  const links = {
    ...{ tokens: linkTokens(deps.idSecret), generations, publicUrl, ask, retailer, now },
    viewNotes,
    unsubscribeTokens: linkTokens(`${deps.idSecret}\nunsubscribe`),
  };
  const accounts = providerAccounts(deps.accounts, { secret: deps.idSecret, publicUrl, now });
  const channels = receiptChannels(mailer, mailFrom, accounts);
  const sender = new DueSender({
    ...{ deliveries, relay, ask, retailer, channels, links, log, now },
    repeatsUnknown: deps.repeatsUnknown ?? false,
  });
  const parts = { deliveries, relay, ask, retailer, channels, accounts, now, wake: () => sender.wake() };

  const webhooks = await startWebhooks({
    ...{ broker, store, keys, leases, ask, retailer, sealer, log, now },
    contracts: deliveryContracts,
    settings: deps.webhooks,
  });
  const created = onReceiptCreated(parts, (retailer, arrival) => mails.note(retailer, arrival));
  const mails = catchUpMails({
    places: await store.collection<PlaceDocument>({ name: 'receipts_heard_of', indexes: [] }),
    lease: lease(leases, 'catch up with mails', walkLeaseMs),
    delayMs: deps.catchUpDelayMs,
    ...{ ask, created, log, now },
  });
  const handlers: Handlers<typeof deliveryContracts> = {
    sendReceipt: idempotent(keys, deliveryContracts.sendReceipt, sendReceipt(parts), { log }),
    listDeliveries: listDeliveries(parts),
    forgetAddresses: forgetAddresses({ ...parts, eventLog: webhooks.eventLog }),
    receiveChannelReport: receiveChannelReport(parts),
    confirmChannelCallback: confirmChannelCallback(parts),
    getReceiptLinks: getReceiptLinks(links),
    revokeReceiptLinks: idempotent(keys, deliveryContracts.revokeReceiptLinks, revokeReceiptLinks(links), {
      log,
    }),
    showReceipt: showReceipt(links),
    showReceiptPdf: showReceiptPdf(links),
    showReceiptQr: showReceiptQr(links),
    showUnsubscribe: showUnsubscribe(links),
    unsubscribe: unsubscribe(links),
    catchUpDeliveries: catchUpDeliveries([mails]),
    ...webhooks.handlers,
  };
  const forgetUp = broker.onUp(() => {
    copies.forget();
    mails.want();
  });
  const consumers = await Promise.all([
    broker.subscribe({
      queue: 'delivery.retailers',
      subscriptions: [on(adminEvents.retailerUpdated, (events) => copies.apply(events))],
      exclusive: true,
    }),
    broker.subscribe({
      queue: 'delivery.on-receipt-created',
      subscriptions: [on(receiptStoreFacts.receiptRecorded, created)],
    }),
    broker.subscribe({
      queue: 'delivery.on-password-reset-requested',
      subscriptions: [
        on(adminEvents.passwordResetRequested, onPasswordResetRequested({ ask, mailer, mailFrom, log, now })),
      ],
    }),
    broker.serve({ owner: 'delivery', contracts: deliveryContracts, handlers: guardHandlers(handlers) }),
  ]);
  sender.wake();
  mails.want();
  return {
    async stop() {
      forgetUp();
      await Promise.all([...consumers.map((consumer) => consumer.close()), sender.stop(), webhooks.stop()]);
      await mails.stop();
      await viewNotes.stop();
      await Promise.all([relay.stop(), viewsRelay.stop()]);
    },
  };
}
