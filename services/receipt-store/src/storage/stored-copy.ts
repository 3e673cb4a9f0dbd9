import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import { duplicatesIn } from '@receipts/storage';

/** How a record of another service is stored. */
export interface CopyDocument<T extends { readonly version: number }> {
  readonly _id: string;
  readonly version: number;
  readonly value: T;
}

/**
 * Stores the copy that a service keeps of another service's records, for all its processes. An older version never
 * replaces a newer one.
 */
export function storedCopy<T extends { readonly version: number }>(
  collection: Collection<CopyDocument<T>>,
  keyOf: (record: T) => string,
) {
  return {
    async *load(): AsyncGenerator<T> {
      for await (const { value } of collection.find()) yield value;
    },
    async save(records: readonly T[]): Promise<void> {
      const operations = records.map((value) => ({
        updateOne: {
          filter: { _id: keyOf(value), version: { $lt: value.version } },
          update: { $set: { version: value.version, value } },
          upsert: true,
        },
      })) as unknown as AnyBulkWriteOperation<CopyDocument<T>>[];
      // A duplicate key: another process has stored this or a newer version, so the upsert violated the unique _id.
      await duplicatesIn(() => collection.bulkWrite(operations, { ordered: false }));
    },
  };
}
