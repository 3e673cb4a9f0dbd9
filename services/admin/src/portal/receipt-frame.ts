import { escapeHtml, Html, html } from '@receipts/html';
import type { Language } from '../pages/language';

/** A document as a part of a page. It is escaped as a whole, because its direction marks matter. */
export function documentFrame(document: string, title: string): Html {
  return html`<iframe
    class="receipt"
    title="${title}"
    sandbox
    srcdoc="${new Html(escapeHtml(document))}"
  ></iframe>`;
}

/** The page that a consumer sees, as a part of another page. */
export const receiptFrame = (document: string, { t }: Language): Html =>
  documentFrame(document, t('receipt.frame'));
