export { consumerMismatch } from '@receipts/kernel';

export const receiptNotFound = { status: 404, code: 'receipt_not_found', description: 'receipt not found' };
/** `errors` names each business term of EN 16931 that the receipt lacks. */
export const notAnInvoice = {
  status: 422,
  code: 'not_an_invoice',
  description: 'the receipt cannot be an invoice',
};
/** No other data of a deleted receipt is kept. */
export const receiptDeletedError = {
  status: 410,
  code: 'receipt_deleted',
  description: 'the receipt was deleted',
};
/** The sale was cancelled, so its receipt is not sent. */
export const receiptVoidedError = {
  status: 422,
  code: 'receipt_voided',
  description: 'the receipt was voided',
};
/** The body of `_assign` identifies the receipt, so a receipt that does not exist is an error of the body. */
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
/** The bodies of this error and the next error also contain the `id` of the existing receipt. */
export const duplicateTransactionId = {
  status: 409,
  code: 'duplicate_transaction_id',
  description: 'a receipt with this transaction id already exists',
};
export const duplicateExternalId = {
  status: 409,
  code: 'duplicate_external_id',
  description: 'a receipt with this external id already exists',
};
/** The body also contains the `id` of the receipt that has the link. */
export const linkTaken = {
  status: 409,
  code: 'link_taken',
  description: 'another receipt already uses this link',
};
export const unknownLink = {
  status: 422,
  code: 'link_not_found',
  description: 'the link is unknown or has expired',
};
/** The actual description states what is wrong with the query and where. */
export const invalidQuery = { status: 400, code: 'invalid_query', description: 'invalid query' };
/**
 * Searches are the most expensive reads, so concurrent searches are limited per retailer, as is the number of waiting
 * searches.
 */
export const tooManySearches = {
  status: 429,
  code: 'rate_limited',
  description: 'too many concurrent searches',
};
/** The retailer's settings accept only receipts of known stores. */
export const unknownStore = { status: 422, code: 'store_not_found', description: 'store not found' };
export const storeNotAllowed = {
  status: 422,
  code: 'store_not_allowed',
  description: 'store can not be set or updated from receipt',
};
/** A stored receipt can be too large although its request was not, but only with tens of thousands of empty items. */
export const receiptTooLarge = {
  status: 413,
  code: 'body_too_large',
  description: 'the stored receipt is too large',
};
