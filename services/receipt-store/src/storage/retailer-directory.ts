import { ReadModel, type ReadModelDocument } from '@receipts/storage';
import type { Retailer } from '@receipts/contracts';
import type { Collection } from 'mongodb';
import type { Log } from '@receipts/kernel';

export type RetailerDirectory = ReadModel<Retailer>;

/** A copy of admin's retailers and their settings. */
export function retailerDirectory(
  collection: Collection<ReadModelDocument<Retailer>>,
  log: Log,
): RetailerDirectory {
  return new ReadModel<Retailer>({ name: 'retailers', collection, log, key: ({ id }) => id });
}
