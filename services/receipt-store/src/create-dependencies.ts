import { idAllotter, type Log } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import { Vocabulary, vocabularyCollection, type VocabularyDocument } from '@receipts/search';
import type { WatermarkDocument, Database } from '@receipts/storage';
import { allottedLinks, linkTokens } from '@receipts/contracts';
import type { Service, OpenService } from '@receipts/service';
import { cursorCodec } from './domain/cursor';
import { Arrivals, eventWatermarksCollection } from './storage/arrivals';
import { ChangedReceipts } from './storage/changed-receipts';
import { openDirectories } from './storage/directories';
import { ExportedReceipts } from './storage/exported-receipts';
import { OldReceipts } from './storage/old-receipts';
import { ReceiptChanges } from './storage/receipt-changes';
import { ReceiptDeletion } from './storage/receipt-deletion';
import { receiptCollection, type StoredReceipt } from './storage/receipt-document';
import { ReceiptSearch } from './storage/receipt-search';
import { ReceiptWriter } from './storage/receipt-writer';
import { RelatedReceipts } from './storage/related-receipts';
import { Receipts } from './storage/receipts';
import { SearchDocuments } from './storage/search-documents';
import { answeredLinks } from './use-cases/answered-links';
import { findRetailer as retailerFinder } from './use-cases/find-retailer';
import { linkRelated } from './use-cases/link-related';
import { pendingReceipt } from './use-cases/pending-receipt';
import { DirectoryReconciler } from './use-cases/reconcile-directories';
import { Retention } from './use-cases/retention';
import { StoreReceipts } from './use-cases/store-receipts';
import { openTotals } from './storage/open-totals';

const retentionLeaseMs = 60_000;
const rebuildLeaseMs = 30_000;

export interface ServiceDependencies {
  readonly broker: Broker;
  readonly database: Database;
  readonly log: Log;
  /** Signs allotted receipt ids and the cursors of links. */
  readonly idSecret: string;
  /** The public URL of the platform, without a trailing slash. */
  readonly publicUrl: string;
  /** The maximum size of a posted receipt. */
  readonly receiptBytesMax: number;
  readonly now?: () => Date;
}

export interface ReceiptStore extends Service {
  /** True once the copies of stores and retailers have been complete, or if they were stored at the start. */
  isReady(): boolean;
  /** Resolves when the pending events have been published, or publishing them is left to the periodic sweep. */
  published(): Promise<void>;
}

/** The dependencies of the use cases. */
export async function createDependencies(service: OpenService, deps: ServiceDependencies) {
  const { broker, database, log, idSecret, publicUrl, now = () => new Date() } = deps;
  const collection = await database.collection<StoredReceipt>(receiptCollection);
  const watermarks = await database.collection<WatermarkDocument>(eventWatermarksCollection);
  const { stores, retailers, kept } = await openDirectories(database, log);
  const receipts = new Receipts(collection);
  const related = new RelatedReceipts(collection);
  const writer = new ReceiptWriter(collection, receipts);
  const vocabulary = new Vocabulary(await database.collection<VocabularyDocument>(vocabularyCollection), log);
  const retailersKnown = () => [...retailers.values()];
  const arrivals = new Arrivals({
    collection,
    watermarks,
    receipts,
    retailers: () => retailersKnown().map(({ id }) => id),
    vocabulary,
    link: (arrived, timeLimit) => link(arrived, timeLimit),
    relay: service.relaying('sweep arrivals'),
  });
  const relay = service.relay<StoredReceipt>('sweep receipts', { collection, publishedEvents: undefined });
  service.onShutdown(arrivals.relay);
  const ask: Broker['ask'] = (contract, input, call) => broker.ask(contract, input, call);
  const findRetailer = retailerFinder({ retailers, ask, now });
  const totals = await openTotals({
    ...{ database, log, receipts, collection },
    lease: service.lease('rebuild totals', rebuildLeaseMs),
  });
  const deletion = new ReceiptDeletion(collection, arrivals, relay, totals.schedule, now);
  const ids = idAllotter(idSecret);
  const tokens = linkTokens(idSecret);
  const reconciler = new DirectoryReconciler({ ask, retailers, stores, log });
  const changes = new ReceiptChanges(collection, arrivals, relay, vocabulary, totals.schedule, now);
  const link = linkRelated({ related, changes, stores, findRetailer, log, now });
  return {
    ...{ receipts, related, writer, stores, retailers, vocabulary, findRetailer, deletion, ask, now },
    storing: new StoreReceipts({
      ...{ receipts, related, link, writer, stores, findRetailer, ask, now },
      arrivals: arrivals.relay,
      totals: totals.schedule,
    }),
    changes,
    ...totals,
    changed: new ChangedReceipts(collection),
    exported: new ExportedReceipts(collection),
    search: new ReceiptSearch(collection),
    documents: new SearchDocuments(collection),
    hasArrived: pendingReceipt({ ids, ask, now }),
    ...{ ids, tokens, publicUrl },
    links: allottedLinks(idSecret),
    linksOf: answeredLinks({ tokens, publicUrl, retailers }),
    cursors: cursorCodec(idSecret),
    retention: new Retention({
      retailers: retailersKnown,
      old: new OldReceipts(collection),
      lease: service.lease('delete old receipts', retentionLeaseMs),
      ...{ deletion, log, now },
    }),
    reconciler,
    isReady: () => reconciler.isComplete || kept > 0,
    async published() {
      await Promise.all([arrivals.relay.flush(), relay.flush()]);
    },
  };
}
