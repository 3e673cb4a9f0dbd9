import { readModel, type Log, type ReadModel, type ReadModelDocument } from '@receipts/storage';
import type { StoreRecord } from '@receipts/contracts';
import type { Collection } from 'mongodb';
import type { StoreNames } from '../domain/store-reference';

export type StoreDirectory = ReadModel<StoreRecord>;

/** The stores of all retailers, as admin last told us. */
export function storeDirectory(
  collection: Collection<ReadModelDocument<StoreRecord>>,
  log: Log,
): StoreDirectory {
  return readModel<StoreRecord>({
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

/** The names of one retailer's stores. */
export function namesOf(stores: StoreDirectory, retailer: string): StoreNames {
  return {
    byReference: (reference) => stores.find('reference', `${retailer}|${reference}`),
    byExternalReference: (external) => stores.find('externalReference', `${retailer}|${external}`),
  };
}

/** The store that a receipt was stored under; undefined when it was not known then, or is not known here. */
export function storeOfKey(stores: StoreDirectory, retailer: string, key: string): StoreRecord | undefined {
  return key.startsWith('id:') ? stores.get(`${retailer}|${key.slice('id:'.length)}`) : undefined;
}
