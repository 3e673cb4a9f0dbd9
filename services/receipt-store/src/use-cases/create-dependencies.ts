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
import { openTotals } from '../totals/storage/open-totals';

const retentionLeaseMs = 60_000;
const rebuildLeaseMs = 30_000;

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
  published(): Promise<void>;
}

/** The dependencies of the use cases. */
export async function createDependencies(service: OpenService, deps: ServiceDependencies) {
  const { broker, database, log, idSecret, publicUrl, now = () => new Date() } = deps;
  const ask: Broker['ask'] = (contract, input, call) => broker.ask(contract, input, call);
  const { stores, retailers, findRetailer, kept } = await openDirectories(database, ask, log);
  const { collection, ...storage } = await openReceipts(database);
  const { receipts, related } = storage;
  const vocabulary = new Vocabulary(await database.collection<VocabularyDocument>(vocabularyCollection), log);
  const retailersKnown = () => [...retailers.values()];
  const arrivals = new Arrivals({
    ...{ collection, receipts, vocabulary },
    watermarks: await database.collection<WatermarkDocument>(eventWatermarksCollection),
    retailers: () => retailersKnown().map(({ id }) => id),
    link: (arrived, timeLimit) => link(arrived, timeLimit),
    relay: service.relaying('sweep arrivals'),
  });
  const relay = service.relay<StoredReceipt>('sweep receipts', { collection, publishedEvents: undefined });
  service.onShutdown(arrivals.relay);
  const totals = await openTotals({
    ...{ database, log, receipts, collection },
    lease: service.lease('rebuild totals', rebuildLeaseMs),
  });
  const deletion = new ReceiptDeletion(collection, arrivals, relay, totals.schedule, now);
  const ids = idAllotter(idSecret);
  const tokens = linkTokens(idSecret);
  const discards = new RawDataDiscards({ ...service, ...storage, vocabulary, ask, log, now });
  const changes = new ReceiptChanges({
    ...{ collection, arrivals, relay, vocabulary, now },
    totals: totals.schedule,
  });
  const cursors = cursorCodec(idSecret);
  const link = linkRelated({ related, changes, stores, findRetailer, log, now });
  return {
    ...storage,
    ...{ stores, retailers, vocabulary, findRetailer, deletion, discards, ask, broker, now },
    storing: new StoreReceipts({
      ...storage,
      ...{ link, stores, findRetailer, ask, now },
      arrivals: arrivals.relay,
      totals: totals.schedule,
    }),
    changes,
    ...totals,
    hasArrived: pendingReceipt({ ids, ask, now }),
    gifts: new GiftReceipts(collection, arrivals, relay, now),
    ...{ ids, tokens, giftTokens: giftTokens(idSecret), publicUrl, cursors },
    links: allottedLinks(idSecret),
    exportCursors: exportCursors(idSecret, cursors),
    retention: new Retention({
      ...{ retailers: retailersKnown, receipts, deletion, ask, log, now },
      lease: service.lease('delete old receipts', retentionLeaseMs),
    }),
    isReady: () => (stores.isComplete && retailers.isComplete) || kept > 0,
    async published() {
      await Promise.all([arrivals.relay.flush(), relay.flush()]);
    },
  };
}
