import type { ErrorOnTheWire } from '@receipts/kernel';
import { z } from 'zod';

export { consumerMismatch } from '@receipts/kernel';

export const receiptNotFound = { status: 404, code: 'receipt_not_found', description: 'receipt not found' };
/** It was there; nothing of it is kept but that. */
export const receiptDeletedError = {
  status: 410,
  code: 'receipt_deleted',
  description: 'the receipt was deleted',
};
/** The body of `_assign` names a receipt; it is the body that is wrong when there is none. */
export const receiptToAssignNotFound = { ...receiptNotFound, status: 422 };
export const receiptAlreadyAssigned = {
  status: 422,
  code: 'receipt_already_assigned',
  description: 'the receipt is assigned to another identifier',
};
export const processingPending = {
  status: 409,
  code: 'processing_pending',
  description: 'receipt processing is pending',
};
/** The body of this error, and of the next, also carries the `id` of the receipt that exists. */
export const duplicateTransactionId = {
  status: 409,
  code: 'duplicate_transaction_id',
  description: 'a receipt with this transaction id exists',
};
export const duplicateExternalId = {
  status: 409,
  code: 'duplicate_external_id',
  description: 'a receipt with this external id exists',
};
/** The description says what is wrong with the query, and where. */
export const invalidQuery = { status: 400, code: 'invalid_query', description: 'invalid query' };
/** Searches are the dearest reads: a retailer has a few at a time, the others wait, and there is an end to waiting. */
export const tooManySearches = {
  status: 429,
  code: 'rate_limited',
  description: 'too many searches at a time',
};
/** The retailer wants receipts of known stores only. */
export const unknownStore = { status: 422, code: 'store_not_found', description: 'store not found' };
export const storeNotAllowed = {
  status: 422,
  code: 'store_not_allowed',
  description: 'store can not be set or updated from receipt',
};
/** Only a receipt made of tens of thousands of empty items is larger as it is kept than the body in which it came. */
export const receiptTooLarge = {
  status: 413,
  code: 'body_too_large',
  description: 'the receipt is too large to be kept',
};

/** An error as one item of an internal answer carries it. */
export const errorOnTheWire = z.object({
  status: z.int(),
  code: z.string().optional(),
  description: z.string(),
  errors: z.array(z.object({ path: z.string(), code: z.string(), message: z.string() })).optional(),
  extra: z.record(z.string(), z.unknown()).optional(),
}) as unknown as z.ZodType<ErrorOnTheWire, ErrorOnTheWire>;
