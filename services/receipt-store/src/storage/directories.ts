import {
  adminContracts,
  adminEvents,
  retailersSource,
  type Retailer,
  type StoreNames,
  type StoreRecord,
} from '@receipts/contracts';
import { Copy } from '@receipts/host';
import { serviceCall, type Call, type Log } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import type { Database } from '@receipts/storage';
import { storeIdOf } from '../domain/store-reference';
import { storedCopy, type CopyDocument } from './stored-copy';

/** A copy of admin's retailers and their settings. */
export type RetailerDirectory = Copy<Retailer>;

/** A copy of admin's stores of all retailers. */
export type StoreDirectory = Copy<StoreRecord>;

/**
 * Returns the retailer of a call. Throws ServiceError 503 if admin does not know it either: it must exist, because its
 * credential was accepted.
 */
export type FindRetailer = (call: Call) => Promise<Retailer>;

const service = 'receipt-store';
const pageCount = 500;

async function openStores(database: Database, ask: Broker['ask'], log: Log): Promise<StoreDirectory> {
  const keyOf = ({ retailer, id }: StoreRecord) => `${retailer}|${id}`;
  const collection = await database.collection<CopyDocument<StoreRecord>>({ name: 'stores', indexes: [] });
  return new Copy<StoreRecord>({
    name: 'stores',
    keyOf,
    store: storedCopy(collection, keyOf),
    events: [adminEvents.storeCreated, adminEvents.storeUpdated],
    log,
    lookups: {
      reference: ({ retailer, reference }) => `${retailer}|${reference}`,
      externalReference: ({ retailer, external_reference: external }) =>
        external === null ? undefined : `${retailer}|${external}`,
    },
    async list(after) {
      const body = { count: pageCount, ...(after !== undefined && { after }) };
      const call = serviceCall(service, Date.now());
      const { stores, next } = (await ask(adminContracts.listStoreRecords, { body }, call)).body;
      return { records: stores, next };
    },
  });
}

async function openRetailers(database: Database, ask: Broker['ask'], log: Log): Promise<RetailerDirectory> {
  const source = retailersSource(ask, service);
  const collection = await database.collection<CopyDocument<Retailer>>({ name: 'retailers', indexes: [] });
  return new Copy<Retailer>({
    store: storedCopy(collection, source.keyOf),
    log,
    ...source,
  });
}

/** Opens the copies of admin's stores and retailers, and returns the number of stored entries. */
export async function openDirectories(database: Database, ask: Broker['ask'], log: Log) {
  const stores = await openStores(database, ask, log);
  const retailers = await openRetailers(database, ask, log);
  const kept = (await stores.load()) + (await retailers.load());
  const findRetailer: FindRetailer = (call) => retailers.need(call.retailer, call);
  return { stores, retailers, findRetailer, kept };
}

/** Looks up one retailer's stores by name. */
export function namesOf(stores: StoreDirectory, retailer: string): StoreNames<StoreRecord> {
  return {
    byReference: (reference) => stores.getBy('reference', `${retailer}|${reference}`),
    byExternalReference: (external) => stores.getBy('externalReference', `${retailer}|${external}`),
  };
}

/** The store of a store key; undefined if it was unknown when the receipt arrived, or is missing from the copy. */
export function storeOfKey(stores: StoreDirectory, retailer: string, key: string): StoreRecord | undefined {
  const id = storeIdOf(key);
  return id === undefined ? undefined : stores.get(`${retailer}|${id}`);
}
