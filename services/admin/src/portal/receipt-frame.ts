import { escapeHtml } from '@receipts/contracts';
import { Html, html } from '../pages/html';
import type { Language } from '../pages/language';

/**
 * The page that a consumer sees, as a part of another page. It is escaped as a whole, because its direction marks
 * matter.
 */
export function receiptFrame(document: string, { t }: Language): Html {
  return html`<iframe
    class="receipt"
    title="${t('receipt.frame')}"
    sandbox
    srcdoc="${new Html(escapeHtml(document))}"
  ></iframe>`;
}
