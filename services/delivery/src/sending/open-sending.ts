import type { ProofIssuer } from '../rendering/mail/mail-files';
import type { CursorDocument } from '@receipts/storage';
import { countedChannels } from '../delivery-counters';
import type { ModuleDependencies } from '../module-dependencies';
import type { LinkSettings, Rendering } from '../rendering/open-rendering';
import { accountChannel, providerAccounts, type ChannelAccounts } from './channels/accounts';
import type { ReceiptChannels } from './channels/channel';
import { emailChannel, type Mailer } from './channels/email';
import { Deliveries } from './storage/deliveries';
import { OptOuts, optOutsDeclaration, type OptOutDocument } from './storage/opt-outs';
import { Recipients, recipientsDeclaration, type RecipientDocument } from './storage/recipients';
import { deliveriesDeclaration, type DeliveryDocument } from './storage/delivery-document';
import {
  ReceiptErasures,
  receiptErasuresDeclaration,
  type ReceiptErasureDocument,
} from './storage/receipt-erasures';
import { catchUpReceipts } from './use-cases/catch-up-receipts';
import { DeliveryWorker } from './use-cases/delivery-worker';
import { catchUpDeleted, type AddressErasure } from './use-cases/erase-addresses';
import { onReceiptCreated } from './use-cases/on-receipt-created';

const walkLeaseMs = 15_000;

export interface SendingSettings {
  /** Absent if there is no mail server. */
  readonly mailer?: Pick<Mailer, 'send'> | undefined;
  readonly mailFrom: string;
  /** Accounts with message providers. */
  readonly accounts: ChannelAccounts;
  /** See `SenderDependencies`. */
  readonly retriesUnconfirmed?: boolean;
}

type SendingDependencies = ModuleDependencies &
  LinkSettings &
  SendingSettings &
  Pick<AddressErasure, 'erasableEvents' | 'webhookDeliveries'> & {
    readonly rendering: Rendering & { readonly proofs: ProofIssuer & AddressErasure['proofs'] };
  };

function openChannels(
  { mailer, mailFrom, counters }: SendingDependencies,
  accounts: Parameters<typeof accountChannel>[1],
): ReceiptChannels {
  const email = emailChannel(mailer, mailFrom);
  const sms = accountChannel('sms', accounts);
  const whatsapp = accountChannel('whatsapp', accounts);
  return countedChannels({ email, sms, whatsapp }, counters);
}

/** What the erasure of addresses needs besides the deliveries and the recipients. */
async function openErasure({
  service,
  database,
  now,
  erasableEvents,
  webhookDeliveries,
  rendering: { views, proofs },
}: SendingDependencies) {
  const { keptEvents } = service;
  const receiptErasures = new ReceiptErasures(
    await database.collection<ReceiptErasureDocument>(receiptErasuresDeclaration),
  );
  return { now, erasableEvents, webhookDeliveries, views, proofs, keptEvents, receiptErasures };
}

/** Deliveries of receipts over channels. */
export async function openSending(deps: SendingDependencies) {
  const { service, database, mailer, mailFrom, idSecret, publicUrl, rendering } = deps;
  const { ask, retailer, counters, log, now } = deps;
  const collection = await database.collection<DeliveryDocument>(deliveriesDeclaration);
  const deliveries = new Deliveries(collection, service.relay('sweep deliveries', { collection }));
  const recipients = new Recipients(await database.collection<RecipientDocument>(recipientsDeclaration));
  const optOuts = new OptOuts(await database.collection<OptOutDocument>(optOutsDeclaration));
  const accounts = providerAccounts(deps.accounts, { secret: idSecret, publicUrl, now });
  const channels = openChannels(deps, accounts);
  const erasure = { ...(await openErasure(deps)), deliveries, recipients };
  const sender = new DeliveryWorker({
    deliveries,
    recipients,
    optOuts,
    erasure,
    ask,
    retailer,
    links: rendering,
    counters,
    log,
    now,
    files: { ...rendering, log },
    channels,
    retriesUnconfirmed: deps.retriesUnconfirmed ?? false,
  });
  const useCaseDeps = {
    ...rendering,
    deliveries,
    recipients,
    optOuts,
    erasure,
    channels,
    accounts,
    mailer,
    mailFrom,
    counters,
    log,
    wake: () => sender.work.wake(),
  };
  const created = onReceiptCreated(useCaseDeps, (id, arrival) => lostReceipts.recordArrival(id, arrival));
  const lostReceipts = catchUpReceipts({
    cursors: await database.collection<CursorDocument>({ name: 'receipt_catchup_cursors', indexes: [] }),
    lease: service.lease('catch up with receipts', walkLeaseMs),
    deleted: (id, receipts) => catchUpDeleted(erasure, id, receipts),
    ask,
    created,
    log,
    now,
    delayMs: deps.catchUpDelayMs,
  });
  return { deps: useCaseDeps, sender, created, lostReceipts };
}
