import type { Collection } from 'mongodb';
import { ServiceError } from '@receipts/kernel';
import {
  insertDocuments,
  insertError,
  isDuplicateKey,
  toUnavailableError,
  type InsertFailure,
} from '@receipts/storage';
import { receiptIndexes, type ReceiptDocument, type StoredReceipt } from './receipt-document';

/** Why an ordered insert stopped. */
export type InsertFault =
  /** The number of the first receipt not stored is taken: another writer was faster. */
  | { readonly kind: 'number taken' }
  /** An id of the first receipt not stored is taken. */
  | { readonly kind: 'id taken' }
  /** The first receipt not stored is invalid and can never be stored. */
  | { readonly kind: 'refused'; readonly error: Error }
  /** The whole command failed, and nothing was stored. */
  | { readonly kind: 'failed'; readonly error: Error }
  /** The outcome is unknown: some may be stored, or be stored later. */
  | { readonly kind: 'unknown'; readonly error: ServiceError };

export interface Inserted {
  /** This many from the start are stored durably. */
  readonly count: number;
  /** Absent when all are stored. */
  readonly fault?: InsertFault;
}

/** Inserts documents, possibly of several retailers, in order, up to the first that fails. Never throws. */
export async function insertInOrder(
  collection: Collection<StoredReceipt>,
  documents: readonly ReceiptDocument[],
  signal: AbortSignal,
): Promise<Inserted> {
  try {
    const [first] = await insertDocuments<StoredReceipt>(collection, documents, { ordered: true, signal });
    return first ? { count: first.index, fault: faultOf(first) } : { count: documents.length };
  } catch (error) {
    const passing = error instanceof ServiceError ? error : toUnavailableError(error);
    return {
      count: 0,
      fault: passing ? { kind: 'unknown', error: passing } : { kind: 'failed', error: error as Error },
    };
  }
}

function faultOf(failure: InsertFailure): InsertFault {
  if (isDuplicateKey(failure, receiptIndexes.arrival.name)) return { kind: 'number taken' };
  if (isDuplicateKey(failure)) return { kind: 'id taken' };
  const error = insertError(failure);
  const passing = toUnavailableError(error);
  return passing ? { kind: 'unknown', error: passing } : { kind: 'refused', error };
}
