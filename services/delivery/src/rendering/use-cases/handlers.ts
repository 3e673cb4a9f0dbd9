import { idempotent } from '@receipts/host/open-service';
import { withRefusalPage } from './refusal-page';
import { getReceiptLinks } from './get-receipt-links';
import { getReceiptViews } from './get-receipt-views';
import { PdfRenderer } from './pdf-renderer';
import { renderReceipt } from './render-receipt';
import { revokeReceiptLinks } from './revoke-receipt-links';
import {
  showGiftReceipt,
  showGiftReceiptPdf,
  showGiftReceiptQr,
  type GiftDependencies,
} from './show-gift-receipt';
import { showReceipt } from './show-receipt';
import { showReceiptAttachment } from './show-receipt-attachment';
import { showReceiptFile } from './show-receipt-file';
import { showReceiptPass } from './show-receipt-pass';
import { showReceiptPdf } from './show-receipt-pdf';
import { showReceiptQr } from './show-receipt-qr';

type Dependencies = Parameters<typeof showReceipt>[0] &
  Parameters<typeof getReceiptViews>[0] &
  Parameters<typeof showReceiptPass>[0] &
  Parameters<typeof showReceiptPdf>[0] &
  GiftDependencies;

type OpenedDependencies = Omit<Dependencies, 'pdfs'>;

/** The pages of gift receipts have links of their own. */
function giftHandlers(deps: Dependencies) {
  const links = { ...deps, tokens: deps.giftTokens };
  return {
    showGiftReceipt: withRefusalPage(links, showGiftReceipt(deps)),
    showGiftReceiptPdf: withRefusalPage(links, showGiftReceiptPdf(deps)),
    showGiftReceiptQr: withRefusalPage(links, showGiftReceiptQr(deps)),
  };
}

/** The links of receipts, and their targets: page, PDF and QR code. */
export function renderingHandlers(opened: OpenedDependencies) {
  const useCaseDeps = { ...opened, pdfs: new PdfRenderer(opened.now) };
  return {
    getReceiptLinks: getReceiptLinks(useCaseDeps),
    revokeReceiptLinks: idempotent(revokeReceiptLinks(useCaseDeps), '_links'),
    getReceiptViews: getReceiptViews(useCaseDeps),
    renderReceipt: renderReceipt(useCaseDeps),
    showReceipt: withRefusalPage(useCaseDeps, showReceipt(useCaseDeps)),
    showReceiptPdf: withRefusalPage(useCaseDeps, showReceiptPdf(useCaseDeps)),
    showReceiptJson: withRefusalPage(useCaseDeps, showReceiptFile('json', useCaseDeps)),
    showReceiptCsv: withRefusalPage(useCaseDeps, showReceiptFile('csv', useCaseDeps)),
    showReceiptUbl: withRefusalPage(useCaseDeps, showReceiptFile('ubl', useCaseDeps)),
    showReceiptEkabs: withRefusalPage(useCaseDeps, showReceiptFile('ekabs', useCaseDeps)),
    showReceiptPass: withRefusalPage(useCaseDeps, showReceiptPass(useCaseDeps)),
    showReceiptAttachment: withRefusalPage(useCaseDeps, showReceiptAttachment(useCaseDeps)),
    showReceiptQr: withRefusalPage(useCaseDeps, showReceiptQr(useCaseDeps)),
    ...giftHandlers(useCaseDeps),
  };
}
