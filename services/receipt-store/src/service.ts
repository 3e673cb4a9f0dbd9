import {
  adminEvents,
  receiptStoreContracts as contracts,
  type Retailer,
  type StoreRecord,
} from '@receipts/contracts';
import { idAllotter, linkTokens, type Handlers, type PrintedEvent } from '@receipts/kernel';
import { on, type Broker } from '@receipts/messaging';
import { Vocabulary, vocabularyCollection, type VocabularyDocument } from '@receipts/search';
import {
  createRelay,
  idempotencyCollection,
  idempotent,
  lease,
  leaseCollection,
  type IdempotencyRecord,
  type LeaseDocument,
  type Log,
  type MarkDocument,
  type ReadModelDocument,
  type Store,
} from '@receipts/storage';
import { cursorCodec } from './domain/cursor';
import { Arrivals } from './storage/arrivals';
import { ChangedReceipts } from './storage/changed-receipts';
import { oldOrderCollection, takeOverOldOrders, type OldOrder } from './storage/old-order';
import { receiptCollection, type StoredReceipt } from './storage/receipt-document';
import { Receipts } from './storage/receipts';
import { ReceiptChanges } from './storage/receipt-changes';
import { OldReceipts } from './storage/old-receipts';
import { ReceiptDeletion } from './storage/receipt-deletion';
import { ReceiptSearch } from './storage/receipt-search';
import { ReceiptWriter } from './storage/receipt-writer';
import { retailerDirectory } from './storage/retailer-directory';
import { SearchDocuments } from './storage/search-documents';
import { storeDirectory } from './storage/store-directory';
import { addConvertedReceipts } from './use-cases/add-converted-receipts';
import { answeredLinks } from './use-cases/answered-links';
import { assignReceipt } from './use-cases/assign-receipt';
import { createReceipt } from './use-cases/create-receipt';
import { deleteReceipt } from './use-cases/delete-receipt';
import { eraseConsumer } from './use-cases/erase-consumer';
import { findRetailer as retailerFinder } from './use-cases/find-retailer';
import { findReceiptWithAttachment } from './use-cases/find-receipt-with-attachment';
import { getReceipt } from './use-cases/get-receipt';
import { listChanges } from './use-cases/list-changes';
import { listConsumerReceipts } from './use-cases/list-consumer-receipts';
import { listReceipts } from './use-cases/list-receipts';
import { listReceiptsV1 } from './use-cases/list-receipts-v1';
import { onRetailerUpdated } from './use-cases/on-retailer-updated';
import { onStoreChanged } from './use-cases/on-store-changed';
import { patchReceipt } from './use-cases/patch-receipt';
import { pendingReceipt } from './use-cases/pending-receipt';
import { DirectoryReconciler } from './use-cases/reconcile-directories';
import { Retention } from './use-cases/retention';
import { reindexReceipts } from './use-cases/reindex-receipts';
import { searchReceipts } from './use-cases/search-receipts';
import { StoreReceipts } from './use-cases/store-receipts';

const sweepLeaseMs = 10_000;
const retentionLeaseMs = 60_000;

export interface ServiceParts {
  readonly broker: Broker;
  readonly store: Store;
  readonly log: Log;
  /** Signs ids that were promised and values of links. */
  readonly idSecret: string;
  /** Where the public sees the platform, without a slash at the end. */
  readonly publicUrl: string;
  readonly now?: () => Date;
}

export interface Service {
  /** For the tests of the indexes. */
  readonly receipts: Receipts;
  readonly search: ReceiptSearch;
  /** True once the copies of stores and retailers have been complete. */
  readonly isReady: () => boolean;
  /** Resolves when the events of what was done before are out, or given up to the sweep. */
  published(): Promise<void>;
  /** Ends what was begun and publishes its events; broker and store stay open. */
  stop(): Promise<void>;
}

/** Everything that this service does. */
export async function startService({
  broker,
  store,
  log,
  idSecret,
  publicUrl,
  now = () => new Date(),
}: ServiceParts): Promise<Service> {
  const collection = await store.collection<StoredReceipt>(receiptCollection);
  const marks = await store.collection<MarkDocument>({ name: 'event_marks', indexes: [] });
  await takeOverOldOrders(collection, marks, await store.collection<OldOrder>(oldOrderCollection));
  const keys = await store.collection<IdempotencyRecord>(idempotencyCollection);
  const leases = await store.collection<LeaseDocument>(leaseCollection);
  const stores = storeDirectory(
    await store.collection<ReadModelDocument<StoreRecord>>({ name: 'stores', indexes: [] }),
    log,
  );
  const retailers = retailerDirectory(
    await store.collection<ReadModelDocument<Retailer>>({ name: 'retailers', indexes: [] }),
    log,
  );
  const storesKept = await stores.load();
  const retailersKept = await retailers.load();

  const receipts = new Receipts(collection);
  const writer = new ReceiptWriter(collection, receipts);
  const publishing = {
    publish: (events: readonly PrintedEvent[]) => broker.publish(events),
    log,
    metrics: store.metrics,
  };
  const vocabulary = new Vocabulary(await store.collection<VocabularyDocument>(vocabularyCollection), log);
  const arrivals = new Arrivals({
    collection,
    marks,
    receipts,
    retailers: () => [...retailers.values()].map(({ id }) => id),
    vocabulary,
    relay: { ...publishing, lease: lease(leases, 'sweep arrivals', sweepLeaseMs) },
  });
  const relay = createRelay({
    ...publishing,
    collection,
    lease: lease(leases, 'sweep receipts', sweepLeaseMs),
  });
  const ask: Broker['ask'] = (contract, input, call) => broker.ask(contract, input, call);
  const hasArrived = pendingReceipt({ ids: idAllotter(idSecret), ask, now });
  const search = new ReceiptSearch(collection);
  const findRetailer = retailerFinder({ retailers, ask, now });
  const storing = new StoreReceipts({
    receipts,
    writer,
    stores,
    findRetailer,
    arrivals: arrivals.relay,
    ask,
    now,
  });
  const changes = new ReceiptChanges(collection, arrivals, relay, vocabulary, now);
  const deletion = new ReceiptDeletion(collection, arrivals, relay, now);
  const changed = new ChangedReceipts(collection);
  const retention = new Retention({
    retailers: () => [...retailers.values()],
    old: new OldReceipts(collection),
    deletion,
    lease: lease(leases, 'delete old receipts', retentionLeaseMs),
    log,
    now,
  });
  const changing = { changes, stores, findRetailer, hasArrived, now };
  const linksOf = answeredLinks({ tokens: linkTokens(idSecret), publicUrl, retailers });
  const pages = { receipts, stores, cursors: cursorCodec(idSecret) };

  const handlers: Handlers<typeof contracts> = {
    createReceipt: createReceipt(storing, linksOf, now),
    addConvertedReceipts: addConvertedReceipts(storing),
    patchReceipt: patchReceipt(changing),
    assignReceipt: idempotent(keys, contracts.assignReceipt, assignReceipt(changing), { log }),
    deleteReceipt: deleteReceipt({ deletion, hasArrived }),
    eraseConsumer: eraseConsumer({ ...changing, changed }),
    getReceipt: getReceipt({ receipts, hasArrived }),
    findReceiptWithAttachment: findReceiptWithAttachment(receipts),
    listReceiptsV1: listReceiptsV1(pages),
    listReceipts: listReceipts(pages),
    searchReceipts: searchReceipts({ search, vocabulary, stores, findRetailer }),
    listChanges: listChanges({ changed, now }),
    listConsumerReceipts: listConsumerReceipts(changed),
    reindexReceipts: reindexReceipts({
      documents: new SearchDocuments(collection),
      ...{ vocabulary, retailers, stores },
    }),
  };

  const subscriptions = [
    on([adminEvents.storeCreated, adminEvents.storeUpdated], onStoreChanged(stores)),
    on(adminEvents.retailerUpdated, onRetailerUpdated(retailers)),
  ];
  const subscriber = await broker.subscribe({
    queue: 'receipt-store.directories',
    subscriptions,
    exclusive: true,
  });
  const reconciler = new DirectoryReconciler({ ask, retailers, stores, log });
  const forgetUp = broker.onUp(() => reconciler.start());
  reconciler.start();
  retention.start();
  const server = await broker.serve({ owner: 'receipt-store', contracts, handlers });

  return {
    receipts,
    search,
    isReady: () => reconciler.isComplete || storesKept + retailersKept > 0,
    async published() {
      await Promise.all([arrivals.relay.flush(), relay.flush()]);
    },
    async stop() {
      forgetUp();
      reconciler.stop();
      await Promise.all([server, subscriber].map((consumer) => consumer.close()));
      await Promise.all([writer.drain(), retention.stop()]);
      await Promise.all([arrivals.relay.stop(), relay.stop()]);
    },
  };
}
