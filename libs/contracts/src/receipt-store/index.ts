import * as contracts from './contracts';
import { publishedEventsOf } from '../shared/published-events';
import {
  receiptAssigned,
  receiptCheckFailed,
  receiptCreated,
  receiptDeleted,
  receiptUpdated,
  receiptVoided,
} from './events';
import { receiptRecorded, receiptRevised } from './facts';

export * from './add-converted-receipts';
export * from './allot-links';
export * from './assign-receipt';
export * from './count-receipts';
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
export const receiptStoreContracts = { ...contracts, ...publishedEventsOf('receipt-store') };

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
