import type { Retailer, StoreRecord } from '@receipts/contracts';
import type { Log } from '@receipts/kernel';
import { ReadModel, type Database, type ReadModelDocument } from '@receipts/storage';
import { storeIdOf, type StoreNames } from '../domain/store-reference';

/** A copy of admin's retailers and their settings. */
export type RetailerDirectory = ReadModel<Retailer>;

/** A copy of admin's stores of all retailers. */
export type StoreDirectory = ReadModel<StoreRecord>;

/** Opens the local copies of admin's stores and retailers, and returns the number of stored entries. */
export async function openDirectories(database: Database, log: Log) {
  const collectionOf = <T extends Retailer | StoreRecord>(name: string) =>
    database.collection<ReadModelDocument<T>>({ name, indexes: [] });
  const stores: StoreDirectory = new ReadModel<StoreRecord>({
    ...{ name: 'stores', collection: await collectionOf<StoreRecord>('stores'), log },
    key: ({ retailer, id }) => `${retailer}|${id}`,
    lookups: {
      reference: ({ retailer, reference }) => `${retailer}|${reference}`,
      externalReference: ({ retailer, external_reference: external }) =>
        external === null ? undefined : `${retailer}|${external}`,
    },
  });
  const retailers: RetailerDirectory = new ReadModel<Retailer>({
    ...{ name: 'retailers', collection: await collectionOf<Retailer>('retailers'), log },
    key: ({ id }) => id,
  });
  const kept = (await stores.load()) + (await retailers.load());
  return { stores, retailers, kept };
}

/** Looks up one retailer's stores by name. */
export function namesOf(stores: StoreDirectory, retailer: string): StoreNames {
  return {
    byReference: (reference) => stores.find('reference', `${retailer}|${reference}`),
    byExternalReference: (external) => stores.find('externalReference', `${retailer}|${external}`),
  };
}

/** The store of a store key; undefined if it was unknown when the receipt arrived, or is missing from the copy. */
export function storeOfKey(stores: StoreDirectory, retailer: string, key: string): StoreRecord | undefined {
  const id = storeIdOf(key);
  return id === undefined ? undefined : stores.get(`${retailer}|${id}`);
}
