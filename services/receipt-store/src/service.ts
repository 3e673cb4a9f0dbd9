import {
  adminEvents,
  receiptStoreContracts as contracts,
  type Retailer,
  type StoreRecord,
} from '@receipts/contracts';
import { idAllotter, type Handlers } from '@receipts/kernel';
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
  type ReadModelDocument,
  type Store,
} from '@receipts/storage';
import { cursorCodec } from './domain/cursor';
import { oldOrderCollection, takeOverOldOrders, type OldOrder } from './storage/old-order';
import { receiptCollection, type StoredReceipt } from './storage/receipt-document';
import { Receipts } from './storage/receipts';
import { ReceiptChanges } from './storage/receipt-changes';
import { ReceiptSearch } from './storage/receipt-search';
import { ReceiptWriter } from './storage/receipt-writer';
import { retailerDirectory } from './storage/retailer-directory';
import { storeDirectory } from './storage/store-directory';
import { addConvertedReceipts } from './use-cases/add-converted-receipts';
import { assignReceipt } from './use-cases/assign-receipt';
import { createReceipt } from './use-cases/create-receipt';
import { findRetailer as retailerFinder } from './use-cases/find-retailer';
import { findReceiptWithAttachment } from './use-cases/find-receipt-with-attachment';
import { getReceipt } from './use-cases/get-receipt';
import { listReceipts } from './use-cases/list-receipts';
import { listReceiptsV1 } from './use-cases/list-receipts-v1';
import { onRetailerUpdated } from './use-cases/on-retailer-updated';
import { onStoreChanged } from './use-cases/on-store-changed';
import { patchReceipt } from './use-cases/patch-receipt';
import { pendingReceipt } from './use-cases/pending-receipt';
import { DirectoryReconciler } from './use-cases/reconcile-directories';
import { searchReceipts } from './use-cases/search-receipts';
import { StoreReceipts } from './use-cases/store-receipts';

const sweepLeaseMs = 10_000;

export interface ServiceParts {
  readonly broker: Broker;
  readonly store: Store;
  readonly log: Log;
  /** Signs ids that were promised and values of links. */
  readonly idSecret: string;
  readonly now?: () => Date;
}

export interface Service {
  /** For the tests of the indexes. */
  readonly receipts: Receipts;
  readonly search: ReceiptSearch;
  /** True once the copies of stores and retailers have been complete. */
  readonly isReady: () => boolean;
  /** Ends what was begun and publishes its events; broker and store stay open. */
  stop(): Promise<void>;
}

/** Everything that this service does. */
export async function startService({
  broker,
  store,
  log,
  idSecret,
  now = () => new Date(),
}: ServiceParts): Promise<Service> {
  const collection = await store.collection<StoredReceipt>(receiptCollection);
  await takeOverOldOrders(collection, await store.collection<OldOrder>(oldOrderCollection));
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
  const relay = createRelay({
    collection,
    publish: (events) => broker.publish(events),
    lease: lease(leases, 'sweep receipts', sweepLeaseMs),
    log,
    metrics: store.metrics,
  });
  const ask: Broker['ask'] = (contract, input, call) => broker.ask(contract, input, call);
  const hasArrived = pendingReceipt({ ids: idAllotter(idSecret), ask, now });
  const vocabulary = new Vocabulary(await store.collection<VocabularyDocument>(vocabularyCollection), log);
  const search = new ReceiptSearch(collection);
  const findRetailer = retailerFinder({ retailers, ask, now });
  const storing = new StoreReceipts({ receipts, writer, stores, findRetailer, vocabulary, relay, ask, now });
  const changes = new ReceiptChanges(collection, relay, vocabulary);
  const changing = { changes, stores, findRetailer, hasArrived, now };
  const pages = { receipts, stores, cursors: cursorCodec(idSecret) };

  const handlers: Handlers<typeof contracts> = {
    createReceipt: idempotent(keys, contracts.createReceipt, createReceipt(storing), { log }),
    addConvertedReceipts: addConvertedReceipts(storing),
    patchReceipt: patchReceipt(changing),
    assignReceipt: idempotent(keys, contracts.assignReceipt, assignReceipt(changing), { log }),
    getReceipt: getReceipt({ receipts, hasArrived }),
    findReceiptWithAttachment: findReceiptWithAttachment(receipts),
    listReceiptsV1: listReceiptsV1(pages),
    listReceipts: listReceipts(pages),
    searchReceipts: searchReceipts({ search, vocabulary, stores, findRetailer }),
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
  const server = await broker.serve({ owner: 'receipt-store', contracts, handlers });

  return {
    receipts,
    search,
    isReady: () => reconciler.isComplete || storesKept + retailersKept > 0,
    async stop() {
      forgetUp();
      reconciler.stop();
      await Promise.all([server, subscriber].map((consumer) => consumer.close()));
      await Promise.all([writer.drain(), relay.stop()]);
    },
  };
}
