import { idAllotter, type Log } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import { Vocabulary, vocabularyCollection, type VocabularyDocument } from '@receipts/search';
import type { WatermarkDocument, Database } from '@receipts/storage';
import { allottedLinks, giftTokens, linkTokens } from '@receipts/contracts';
import type { Service, OpenService } from '@receipts/host/open-service';
import { cursorCodec } from '../domain/cursor';
import { exportCursors } from '../domain/export-cursor';
import { Arrivals, eventWatermarksCollection } from '../storage/arrivals';
import { openDirectories } from '../storage/directories';
import { GiftReceipts } from '../storage/gift-receipts';
import { openReceipts } from '../storage/open-receipts';
import { ReceiptChanges } from '../storage/receipt-changes';
import { ReceiptDeletion } from '../storage/receipt-deletion';
import type { StoredReceipt } from '../storage/receipt-document';
import { linkRelated } from './link-related';
import { pendingReceipt } from './pending-receipt';
import { RawDataDiscards } from './raw-data-discards';
import { Retention } from './retention';
import { StoreReceipts } from './store-receipts';
import { openTillSilences } from '../tills/storage/open-till-silences';
import { WatchTills } from '../tills/tasks/watch-tills';
import { openTotals } from '../totals/storage/open-totals';

const retentionLeaseMs = 60_000;
const rebuildLeaseMs = 30_000;
const watchLeaseMs = 30_000;

export interface ServiceDependencies {
  readonly broker: Broker;
  readonly database: Database;
  readonly log: Log;
  /** Signs reserved receipt ids and the cursors in links. */
  readonly idSecret: string;
  /** The public URL of the platform, without a trailing slash. */
  readonly publicUrl: string;
  /** The maximum size of a posted receipt. */
  readonly receiptBytesMax: number;
  readonly now?: () => Date;
}

export interface ReceiptStore extends Service {
  /** True once the copies of stores and retailers are complete, or if they were already stored on startup. */
  isReady(): boolean;
  /** Resolves when the pending events have been published, or are left to the periodic sweep. */
  flushEvents(): Promise<void>;
}

/** The stored receipts, and what changes them. */
async function openStorage(
  service: OpenService,
  { database, log, now }: Pick<Required<ServiceDependencies>, 'database' | 'log' | 'now'>,
  { retailers, link }: Pick<ConstructorParameters<typeof Arrivals>[0], 'retailers' | 'link'>,
) {
  const { collection, ...storage } = await openReceipts(database);
  const { receipts } = storage;
  const vocabulary = new Vocabulary(await database.collection<VocabularyDocument>(vocabularyCollection), log);
  const arrivals = new Arrivals({
    collection,
    receipts,
    vocabulary,
    watermarks: await database.collection<WatermarkDocument>(eventWatermarksCollection),
    retailers,
    link,
    relay: service.relaying('sweep arrivals'),
  });
  const relay = service.relay<StoredReceipt>('sweep receipts', { collection, keptEvents: undefined });
  service.addRelay(arrivals.relay);
  const lease = service.lease('rebuild totals', rebuildLeaseMs);
  const totals = await openTotals({ database, log, receipts, collection, lease });
  const { schedule } = totals;
  return {
    storage: { ...storage, vocabulary },
    arrivals,
    relay,
    totals,
    deletion: new ReceiptDeletion(collection, arrivals, relay, schedule, now),
    changes: new ReceiptChanges({ collection, arrivals, relay, vocabulary, now, totals: schedule }),
    gifts: new GiftReceipts(collection, arrivals, relay, now),
  };
}

/** The dependencies of the use cases. */
export async function createDependencies(service: OpenService, deps: ServiceDependencies) {
  const { broker, database, log, idSecret, publicUrl, now = () => new Date() } = deps;
  const ask: Broker['ask'] = (contract, input, call) => broker.ask(contract, input, call);
  const { stores, retailers, findRetailer, kept } = await openDirectories(database, ask, log);
  const retailersKnown = () => [...retailers.values()];
  const opened = await openStorage(
    service,
    { database, log, now },
    {
      retailers: () => retailersKnown().map(({ id }) => id),
      link: (arrived, timeLimit) => link(arrived, timeLimit),
    },
  );
  const { storage, arrivals, relay, totals, deletion, changes, gifts } = opened;
  const { related } = storage;
  const tills = await openTillSilences(service, database, now);
  const link = linkRelated({ related, changes, stores, findRetailer, log, now });
  const ids = idAllotter(idSecret);
  const cursors = cursorCodec(idSecret);
  const given = { ask, log, now };
  const written = { arrivals, totals: totals.schedule };
  const lease = service.lease('delete old receipts', retentionLeaseMs);
  return {
    ...storage,
    ...totals,
    stores,
    retailers,
    findRetailer,
    ask,
    broker,
    now,
    publicUrl,
    deletion,
    changes,
    gifts,
    discards: new RawDataDiscards({ ...service, ...storage, ...given }),
    storing: new StoreReceipts({ ...storage, ...written, stores, findRetailer, ask, now }),
    hasArrived: pendingReceipt({ ids, ask, now }),
    ids,
    cursors,
    tokens: linkTokens(idSecret),
    giftTokens: giftTokens(idSecret),
    links: allottedLinks(idSecret),
    exportCursors: exportCursors(idSecret, cursors),
    retention: new Retention({ ...storage, ...given, retailers: retailersKnown, deletion, lease }),
    watchTills: new WatchTills({
      ...given,
      retailers: retailersKnown,
      stores,
      totals: totals.totals,
      silences: tills.silences,
      lease: service.lease('watch tills', watchLeaseMs),
    }),
    keptEvents: service.keptEvents,
    isReady: () => (stores.isComplete && retailers.isComplete) || kept > 0,
    async flushEvents() {
      await Promise.all([arrivals.relay.flush(), relay.flush(), tills.relay.flush()]);
    },
  };
}
