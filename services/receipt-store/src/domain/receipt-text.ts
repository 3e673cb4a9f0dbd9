import { receiptTooLarge, type ReturnedReceipt } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';

/** Text, event and search document of a receipt share a document, and MongoDB's documents end at 16 MiB. */
export const textBytesMax = 4 * 1024 * 1024;
/** In UTF-8 a UTF-16 unit takes three bytes at most, so a shorter text need not be measured. */
const unmeasuredLengthMax = textBytesMax / 4;

/**
 * The receipt as it is kept.
 * @throws ServiceError 413
 */
export function printReceipt(receipt: ReturnedReceipt): string {
  const text = JSON.stringify(receipt);
  if (text.length > unmeasuredLengthMax && Buffer.byteLength(text) > textBytesMax) {
    throw new ServiceError(receiptTooLarge);
  }
  return text;
}
