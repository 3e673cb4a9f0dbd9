import { idempotent } from '@receipts/host/open-service';
import { withRefusalPage } from './refusal-page';
import { getReceiptLinks } from './get-receipt-links';
import { getReceiptViews } from './get-receipt-views';
import { PdfRenderer } from './pdf-renderer';
import { renderReceipt } from './render-receipt';
import { revokeReceiptLinks } from './revoke-receipt-links';
import { showGiftReceipt, showGiftReceiptPdf, showGiftReceiptQr, type GiftParts } from './show-gift-receipt';
import { showReceipt } from './show-receipt';
import { showReceiptAttachment } from './show-receipt-attachment';
import { showReceiptForm } from './show-receipt-form';
import { showReceiptPass } from './show-receipt-pass';
import { showReceiptPdf } from './show-receipt-pdf';
import { showReceiptQr } from './show-receipt-qr';

type Parts = Parameters<typeof showReceipt>[0] &
  Parameters<typeof getReceiptViews>[0] &
  Parameters<typeof showReceiptPass>[0] &
  Parameters<typeof showReceiptPdf>[0] &
  GiftParts;

type OpenedParts = Omit<Parts, 'pdfs'>;

/** The pages of gift receipts have links of their own. */
function giftHandlers(parts: Parts) {
  const links = { ...parts, tokens: parts.giftTokens };
  return {
    showGiftReceipt: withRefusalPage(links, showGiftReceipt(parts)),
    showGiftReceiptPdf: withRefusalPage(links, showGiftReceiptPdf(parts)),
    showGiftReceiptQr: withRefusalPage(links, showGiftReceiptQr(parts)),
  };
}

/** The links of receipts, and their targets: page, PDF and QR code. */
export function renderingHandlers(opened: OpenedParts) {
  const parts = { ...opened, pdfs: new PdfRenderer(opened.now) };
  return {
    getReceiptLinks: getReceiptLinks(parts),
    revokeReceiptLinks: idempotent(revokeReceiptLinks(parts), '_links'),
    getReceiptViews: getReceiptViews(parts),
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
    ...giftHandlers(parts),
  };
}
