import { adminContracts, type Retailer, linkTokens } from '@receipts/contracts';
import type { Sealer } from '@receipts/host';
import { delegatedCall, type Log } from '@receipts/kernel';
import { RecordCache, type Broker } from '@receipts/messaging';
import type { CursorDocument, Database } from '@receipts/storage';
import type { OpenService } from '@receipts/service';
import { providerAccounts, type ChannelAccounts } from './sending/channels/accounts';
import type { Mailer } from './sending/channels/email';
import { receiptChannels } from './sending/channels/receipt-channels';
import { Deliveries, deliveriesDeclaration, type DeliveryDocument } from './sending/storage/deliveries';
import {
  ReceiptErasures,
  receiptErasuresDeclaration,
  type ReceiptErasureDocument,
} from './sending/storage/receipt-erasures';
import {
  ReceiptLinkGenerations,
  receiptLinksDeclaration,
  type ReceiptLinkDocument,
} from './rendering/storage/receipt-links';
import {
  ReceiptViews,
  receiptViewsDeclaration,
  type ReceiptViewsDocument,
} from './rendering/storage/receipt-views';
import { catchUpMails } from './sending/use-cases/catch-up-mails';
import { ViewNotes } from './rendering/use-cases/note-view';
import { onReceiptCreated } from './sending/use-cases/on-receipt-created';
import { DueSender } from './sending/use-cases/send-due';
import { startWebhooks, type WebhookSettings } from './webhooks/start-webhooks';

const walkLeaseMs = 15_000;

export interface ServiceDependencies {
  readonly broker: Broker;
  readonly database: Database;
  readonly log: Log;
  /** Absent without a mail server. */
  readonly mailer?: Pick<Mailer, 'send'> | undefined;
  /** See `SenderParts`. */
  readonly repeatsUnknown?: boolean;
  readonly mailFrom: string;
  /** Accounts with message providers. */
  readonly accounts: ChannelAccounts;
  /** Signs the links of receipt pages; must be the same as receipt-store's. */
  readonly idSecret: string;
  readonly publicUrl: string;
  readonly sealer: Sealer;
  readonly webhooks: WebhookSettings;
  readonly now?: () => Date;
  /** The delay of catching up after the start, or after the broker is back; 2 s unless given. */
  readonly catchUpDelayMs?: number;
}

/** What the use cases work with. */
export async function createDependencies(service: OpenService, deps: ServiceDependencies) {
  const {
    broker,
    database,
    log,
    mailer,
    mailFrom,
    idSecret,
    publicUrl,
    sealer,
    now = () => new Date(),
  } = deps;
  const collection = await database.collection<DeliveryDocument>(deliveriesDeclaration);
  const deliveries = new Deliveries(collection);
  const relay = service.relay('sweep deliveries', { collection });
  const ask: Broker['ask'] = (contract, input, call) => broker.ask(contract, input, call);
  const retailers = new RecordCache<Retailer>(async (id, call) => {
    const inner = delegatedCall('delivery', call, now().getTime());
    return (await ask(adminContracts.findRetailer, { body: { id } }, inner)).body.retailer;
  });
  const retailer = retailers.find.bind(retailers);
  const viewDocuments = await database.collection<ReceiptViewsDocument>(receiptViewsDeclaration);
  const viewsRelay = service.relay('sweep views of receipts', { collection: viewDocuments });
  const views = new ReceiptViews(viewDocuments);
  const links = {
    ...{ publicUrl, ask, retailer, now },
    tokens: linkTokens(idSecret),
    generations: new ReceiptLinkGenerations(
      await database.collection<ReceiptLinkDocument>(receiptLinksDeclaration),
    ),
    viewNotes: new ViewNotes({ views, viewsRelay, log, now }),
    unsubscribeTokens: linkTokens(`${idSecret}\nunsubscribe`),
  };
  const accounts = providerAccounts(deps.accounts, { secret: idSecret, publicUrl, now });
  const channels = receiptChannels(mailer, mailFrom, accounts);
  const webhooks = await startWebhooks({
    ...{ service, broker, database, ask, retailer, sealer, log, now },
    settings: deps.webhooks,
    catchUpDelayMs: deps.catchUpDelayMs,
  });
  const { eventLog, webhookDeliveries } = webhooks;
  const forgetting = {
    ...{ deliveries, views, eventLog, webhookDeliveries, publishedEvents: service.publishedEvents, now },
    receiptErasures: new ReceiptErasures(
      await database.collection<ReceiptErasureDocument>(receiptErasuresDeclaration),
    ),
  };
  const sender = new DueSender({
    ...{ deliveries, forgetting, relay, ask, retailer, channels, links, log, now },
    repeatsUnknown: deps.repeatsUnknown ?? false,
  });
  const sending = {
    ...{ deliveries, forgetting, relay, ask, retailer, channels, accounts, now },
    wake: () => sender.wake(),
  };
  const created = onReceiptCreated(sending, (id, arrival) => mails.recordArrival(id, arrival));
  const mails = catchUpMails({
    cursors: await database.collection<CursorDocument>({ name: 'receipt_catchup_cursors', indexes: [] }),
    lease: service.lease('catch up with mails', walkLeaseMs),
    delayMs: deps.catchUpDelayMs,
    ...{ ask, created, log, now },
  });
  return {
    ...links,
    ...sending,
    retailers,
    sender,
    created,
    mails,
    webhooks,
    mailer,
    mailFrom,
    log,
  };
}
