import { idempotent } from '@receipts/host/open-service';
import { withRefusalPage } from './refusal-page';
import { getReceiptLinks } from './get-receipt-links';
import { renderReceipt } from './render-receipt';
import { revokeReceiptLinks } from './revoke-receipt-links';
import { showReceipt } from './show-receipt';
import { showReceiptAttachment } from './show-receipt-attachment';
import { showReceiptForm } from './show-receipt-form';
import { showReceiptPass } from './show-receipt-pass';
import { showReceiptPdf } from './show-receipt-pdf';
import { showReceiptQr } from './show-receipt-qr';

type Parts = Parameters<typeof showReceipt>[0] &
  Parameters<typeof showReceiptPass>[0] &
  Parameters<typeof showReceiptPdf>[0];

/** The links of receipts, and their targets: page, PDF and QR code. */
export const renderingHandlers = (parts: Parts) => ({
  getReceiptLinks: getReceiptLinks(parts),
  revokeReceiptLinks: idempotent(revokeReceiptLinks(parts), '_links'),
  renderReceipt: renderReceipt(parts),
  showReceipt: withRefusalPage(parts, showReceipt(parts)),
  showReceiptPdf: withRefusalPage(parts, showReceiptPdf(parts)),
  showReceiptJson: withRefusalPage(parts, showReceiptForm('json', parts)),
  showReceiptCsv: withRefusalPage(parts, showReceiptForm('csv', parts)),
  showReceiptUbl: withRefusalPage(parts, showReceiptForm('ubl', parts)),
  showReceiptEkabs: withRefusalPage(parts, showReceiptForm('ekabs', parts)),
  showReceiptPass: withRefusalPage(parts, showReceiptPass(parts)),
  showReceiptAttachment: withRefusalPage(parts, showReceiptAttachment(parts)),
  showReceiptQr: withRefusalPage(parts, showReceiptQr(parts)),
});
