export { sendReceipt } from './send-receipt';
export { listDeliveries } from './list-deliveries';
export { getReceiptViews } from './get-receipt-views';
export { listSentReceipts } from './list-sent-receipts';
export { listWaitingDeliveries } from './list-waiting-deliveries';
export { eraseAddresses } from './erase-addresses';
export { receiveChannelReport, confirmChannelCallback } from './channel-callbacks';
export { getReceiptLinks } from './get-receipt-links';
export { revokeReceiptLinks } from './revoke-receipt-links';
export { renderReceipt } from './render-receipt';
// Before `showReceipt`, because descriptions list paths in this order, and `/r/{token}` also matches these.
export { showReceiptCsv, showReceiptEkabs, showReceiptJson, showReceiptUbl } from './show-receipt-files';
export { showReceipt } from './show-receipt';
export { showReceiptPdf } from './show-receipt-pdf';
export { showReceiptPass } from './show-receipt-pass';
export { showReceiptAttachment } from './show-receipt-attachment';
export { showReceiptQr } from './show-receipt-qr';
export { showGiftReceipt, showGiftReceiptPdf, showGiftReceiptQr } from './show-gift-receipt';
export {
  getReceiptProof,
  showReceiptProof,
  listSigningKeys,
  rotateSigningKeys,
  showVerification,
  verifyProof,
} from './proofs';
export { showUnsubscribe, unsubscribe } from './unsubscribe';
export { catchUpDeliveries } from './catch-up-deliveries';
