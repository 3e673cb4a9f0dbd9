import { addConvertedReceipts } from './add-converted-receipts';
import { assignReceipt } from './assign-receipt';
import { createReceipt } from './create-receipt';
import { receiptAssigned, receiptCreated, receiptUpdated, receiptViewed } from './events';
import { receiptRecorded, receiptRevised } from './facts';
import { findReceiptWithAttachment } from './find-receipt-with-attachment';
import { getReceipt } from './get-receipt';
import { listReceipts } from './list-receipts';
import { listReceiptsV1 } from './list-receipts-v1';
import { searchReceipts } from './search-receipts';
import { patchReceipt } from './patch-receipt';

export * from './add-converted-receipts';
export * from './assign-receipt';
export * from './create-receipt';
export * from './errors';
export * from './events';
export * from './facts';
export * from './find-receipt-with-attachment';
export * from './get-receipt';
export * from './list-receipts';
export * from './list-receipts-v1';
export * from './search-receipts';
export * from './patch-receipt';

/** What receipt-store answers. A contract that stands here has a handler there, or the service does not compile. */
export const receiptStoreContracts = {
  createReceipt,
  addConvertedReceipts,
  patchReceipt,
  assignReceipt,
  getReceipt,
  findReceiptWithAttachment,
  listReceiptsV1,
  listReceipts,
  searchReceipts,
};

/** What receipt-store tells the world. */
export const receiptStoreEvents = { receiptCreated, receiptUpdated, receiptAssigned, receiptViewed };

/** What receipt-store tells our own services. */
export const receiptStoreFacts = { receiptRecorded, receiptRevised };
