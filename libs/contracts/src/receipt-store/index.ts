import * as contracts from './contracts';
import { publishedEventsOf } from '../shared/published-events';
import {
  receiptAssigned,
  receiptCheckFailed,
  receiptCreated,
  receiptDeleted,
  receiptGiftCreated,
  receiptUpdated,
  receiptVoided,
} from './events';
import * as tillEvents from './till-events';
import { receiptRecorded, receiptRevised } from './internal-events';

export * from './contracts';
export * from './add-converted-receipts';
export * from './create-receipts';
export * from './export-receipts';
export * from '../receipt/errors';
export * from './events';
export * from './internal-events';
export * from './till-events';
export * from './create-gift-receipt';
export * from './find-gift-receipt';
export * from './get-returnable';
export * from './gift-errors';
export * from './list-changes';
export * from './list-consumer-receipts';
export { missingRangesMax, type TillGaps } from './get-gaps';
export type { ReportedTill } from './get-tills';
export * from './list-receipt-rows';
export { receiptNotesMax } from './get-receipt-history';
export * from './totals';
export * from './patch-receipt';

/** The commands and queries of receipt-store. The service does not compile unless it has a handler for each. */
export const receiptStoreContracts = { ...contracts, ...publishedEventsOf('receipt-store') };

/** The public events of receipt-store. */
export const receiptStoreEvents = {
  receiptCreated,
  receiptUpdated,
  receiptAssigned,
  receiptVoided,
  receiptCheckFailed,
  receiptGiftCreated,
  receiptDeleted,
  ...tillEvents,
};

/** The internal events of receipt-store. */
export const receiptStoreInternalEvents = { receiptRecorded, receiptRevised };
