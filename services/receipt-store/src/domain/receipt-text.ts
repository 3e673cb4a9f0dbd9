import { receiptTooLarge, type ReturnedReceipt } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';

/** A receipt's text, event and search document are stored in one document, and MongoDB limits documents to 16 MiB. */
export const textBytesMax = 4 * 1024 * 1024;
/** A UTF-16 code unit takes at most three bytes in UTF-8, so shorter texts need not be measured. */
const unmeasuredLengthMax = textBytesMax / 4;

/**
 * The receipt's JSON as it is stored.
 * @throws ServiceError 413
 */
export function printReceipt(receipt: ReturnedReceipt): string {
  const text = JSON.stringify(receipt);
  if (text.length > unmeasuredLengthMax && Buffer.byteLength(text) > textBytesMax) {
    const description = `the stored receipt is larger than ${textBytesMax} bytes`;
    throw new ServiceError(receiptTooLarge, { description });
  }
  return text;
}
