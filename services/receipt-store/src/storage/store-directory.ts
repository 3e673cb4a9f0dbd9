import { ReadModel, type ReadModelDocument } from '@receipts/storage';
import type { StoreRecord } from '@receipts/contracts';
import type { Collection } from 'mongodb';
import type { Log } from '@receipts/kernel';
import { storeIdOf, type StoreNames } from '../domain/store-reference';

export type StoreDirectory = ReadModel<StoreRecord>;

/** A copy of admin's stores of all retailers. */
export function storeDirectory(
  collection: Collection<ReadModelDocument<StoreRecord>>,
  log: Log,
): StoreDirectory {
  return new ReadModel<StoreRecord>({
    name: 'stores',
    collection,
    log,
    key: ({ retailer, id }) => `${retailer}|${id}`,
    lookups: {
      reference: ({ retailer, reference }) => `${retailer}|${reference}`,
      externalReference: ({ retailer, external_reference: external }) =>
        external === null ? undefined : `${retailer}|${external}`,
    },
  });
}

/** Lookup of one retailer's stores by name. */
export function namesOf(stores: StoreDirectory, retailer: string): StoreNames {
  return {
    byReference: (reference) => stores.find('reference', `${retailer}|${reference}`),
    byExternalReference: (external) => stores.find('externalReference', `${retailer}|${external}`),
  };
}

/** The store of a store key; undefined if it was unknown when the receipt arrived, or is missing in the copy. */
export function storeOfKey(stores: StoreDirectory, retailer: string, key: string): StoreRecord | undefined {
  const id = storeIdOf(key);
  return id === undefined ? undefined : stores.get(`${retailer}|${id}`);
}
