import { publishedEventsOf } from '../shared/published-events';
import { addConvertedReceipts } from './add-converted-receipts';
import { allotLinks } from './allot-links';
import { assignReceipt } from './assign-receipt';
import { createReceipt } from './create-receipt';
import { createReceipts } from './create-receipts';
import { deleteReceipt } from './delete-receipt';
import { eraseConsumer } from './erase-consumer';
import { exportReceipts } from './export-receipts';
import { exportTotals } from './export-totals';
import {
  receiptAssigned,
  receiptCheckFailed,
  receiptCreated,
  receiptDeleted,
  receiptUpdated,
  receiptVoided,
} from './events';
import { receiptRecorded, receiptRevised } from './facts';
import { findReceiptWithAttachment } from './find-receipt-with-attachment';
import { getReceipt } from './get-receipt';
import { getReturnable } from './get-returnable';
import { getTotals } from './get-totals';
import { hasReceipt } from './has-receipt';
import { listChanges } from './list-changes';
import { listConsumerReceipts } from './list-consumer-receipts';
import { listFailingReceipts } from './list-failing-receipts';
import { listReceipts } from './list-receipts';
import { listReceiptsV1 } from './list-receipts-v1';
import { previewReceipt } from './preview-receipt';
import { rebuildTotals } from './rebuild-totals';
import { reindexReceipts } from './reindex-receipts';
import { searchReceipts } from './search-receipts';
import { patchReceipt } from './patch-receipt';
import { voidReceipt } from './void-receipt';

export * from './add-converted-receipts';
export * from './allot-links';
export * from './assign-receipt';
export * from './create-receipt';
export * from './create-receipts';
export * from './delete-receipt';
export * from './erase-consumer';
export * from './export-receipts';
export * from './export-totals';
export * from '../receipt/errors';
export * from './events';
export * from './facts';
export * from './find-receipt-with-attachment';
export * from './get-receipt';
export * from './get-returnable';
export * from './get-totals';
export * from './has-receipt';
export * from './list-changes';
export * from './list-consumer-receipts';
export * from './list-failing-receipts';
export * from './list-receipts';
export * from './list-receipts-v1';
export * from './preview-receipt';
export * from './rebuild-totals';
export * from './reindex-receipts';
export * from './search-receipts';
export * from './totals';
export * from './patch-receipt';
export * from './void-receipt';

/** The commands and queries of receipt-store. The service does not compile unless it has a handler for each. */
export const receiptStoreContracts = {
  createReceipt,
  createReceipts,
  allotLinks,
  exportReceipts,
  addConvertedReceipts,
  patchReceipt,
  assignReceipt,
  deleteReceipt,
  voidReceipt,
  eraseConsumer,
  getReceipt,
  previewReceipt,
  getReturnable,
  findReceiptWithAttachment,
  hasReceipt,
  listReceiptsV1,
  listReceipts,
  searchReceipts,
  listFailingReceipts,
  listChanges,
  listConsumerReceipts,
  reindexReceipts,
  getTotals,
  exportTotals,
  rebuildTotals,
  ...publishedEventsOf('receipt-store'),
};

/** The public events of receipt-store. */
export const receiptStoreEvents = {
  receiptCreated,
  receiptUpdated,
  receiptAssigned,
  receiptVoided,
  receiptCheckFailed,
  receiptDeleted,
};

/** The internal events of receipt-store. */
export const receiptStoreFacts = { receiptRecorded, receiptRevised };
