import type { Retailer, StoreRecord } from '@receipts/contracts';
import type { Log, ReadModelDocument, Database } from '@receipts/storage';
import { retailerDirectory } from './retailer-directory';
import { storeDirectory } from './store-directory';

/** The copies of what admin owns: stores and settings of retailers, with how many of them were kept here already. */
export async function openDirectories(store: Database, log: Log) {
  const stores = storeDirectory(
    await store.collection<ReadModelDocument<StoreRecord>>({ name: 'stores', indexes: [] }),
    log,
  );
  const retailers = retailerDirectory(
    await store.collection<ReadModelDocument<Retailer>>({ name: 'retailers', indexes: [] }),
    log,
  );
  const kept = (await stores.load()) + (await retailers.load());
  return { stores, retailers, kept };
}
