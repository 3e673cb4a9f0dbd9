export { receiptItemsMax, receiptPropertiesMax, tooManyInReceipt } from './bounds';
export { epochMsOf, readDateTime, type WrittenDateTime } from '../shared/date-time';
export { checkCodes, type CheckCode } from '../shared/checks';
export { invalidGtin } from './gtin';
export { freeObject, uuidV4Pattern } from './fields';
export { isObject, type FreeObject } from '../shared/schema-checks';
export { type PostedAttachment } from './posted-attachments';
export { plainValues } from './plain-fields';
export { patchedReceipt } from './patched-receipt';
export { type PostedItem } from './posted-item';
export { cardNumberTooLong, isCardNumber } from './card-number';
export type { PostedPayment } from './posted-payment';
export { mappedReceipt, postedReceipt, receiptProperties, type PostedReceipt } from './posted-receipt';
export {
  returnedReceipt,
  type ReturnedAttachment,
  type ReturnedItem,
  type ReturnedReceipt,
  type StoreSummary,
} from './returned-receipt';
export { postedReceiptExample, returnedReceiptExample } from './examples';
export { isTranslationTag } from './translation-tag';
export { receiptFormats, type ReceiptFormat } from './receipt-formats';
