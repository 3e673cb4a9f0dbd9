import type { Retailer, StoreRecord } from '@receipts/contracts';
import type { ReadModelDocument, Database } from '@receipts/storage';
import type { Log } from '@receipts/kernel';
import { retailerDirectory } from './retailer-directory';
import { storeDirectory } from './store-directory';

/** Opens the local copies of admin's stores and retailers, and returns how many entries were stored already. */
export async function openDirectories(database: Database, log: Log) {
  const stores = storeDirectory(
    await database.collection<ReadModelDocument<StoreRecord>>({ name: 'stores', indexes: [] }),
    log,
  );
  const retailers = retailerDirectory(
    await database.collection<ReadModelDocument<Retailer>>({ name: 'retailers', indexes: [] }),
    log,
  );
  const kept = (await stores.load()) + (await retailers.load());
  return { stores, retailers, kept };
}
