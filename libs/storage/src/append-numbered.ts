import { ServiceError, unavailable } from '@receipts/kernel';
import type { Collection, Document, Filter, OptionalUnlessRequiredId } from 'mongodb';
import { isDuplicateKey, writeErrorsByIndex } from './faults';

export interface NumberedAppend<T extends Document & { readonly _id: string }> {
  readonly collection: Collection<T>;
  /** The documents in their order, without numbers. No id occurs twice. */
  readonly documents: readonly Document[];
  /** The field of the number, and the unique index that consists of the sequence and this field. */
  readonly numberField: keyof T & string;
  readonly indexName: string;
  /** Reads the last number of the sequence; 0 if it is empty. */
  readonly last: () => Promise<number>;
  /** Limits each command. */
  readonly signal: () => AbortSignal;
}

/** The number of lost races, or of duplicates that are found one after another, after which an append gives up. */
const roundsMax = 50;

/**
 * Appends documents to a sequence that is numbered from 1 without gaps, except those that exist. An ordered insert stops at its first error, so a
 * number exists only if its predecessor exists, no matter how many processes write, or crash.
 * @throws ServiceError 503 if other processes are always faster; the database's errors
 */
export async function appendNumbered<T extends Document & { readonly _id: string }>(
  append: NumberedAppend<T>,
): Promise<void> {
  const { collection, numberField, indexName, last, signal } = append;
  let left = append.documents as readonly T[];
  for (let round = 0; left.length > 0; round++) {
    if (round === roundsMax) {
      throw new ServiceError(unavailable, {
        internal: `too many processes write to ${collection.collectionName}`,
      });
    }
    const after = await last();
    const numbered = left.map((document, n) => ({ ...document, [numberField]: after + 1 + n }));
    try {
      await collection.insertMany(numbered as OptionalUnlessRequiredId<T>[], {
        ordered: true,
        signal: signal(),
      });
      return;
    } catch (error) {
      const [stop] = writeErrorsByIndex(error) ?? [];
      if (!stop) throw error;
      const [position, failure] = stop;
      left = left.slice(position);
      if (isDuplicateKey(failure, indexName)) continue;
      if (!isDuplicateKey(failure, '_id_')) throw error;
      // This document exists already, and so may others.
      const ids = { _id: { $in: left.map(({ _id }) => _id) } } as Filter<T>;
      const found = await collection.find(ids, { projection: { _id: 1 }, signal: signal() }).toArray();
      const existing = new Set<string>(found.map(({ _id }) => _id));
      left = left.filter(({ _id }) => !existing.has(_id));
    }
  }
}
