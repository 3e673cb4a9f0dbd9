import { escapeHtml } from '@receipts/contracts';
import { Html, html } from '../pages/html';

/**
 * The page that a consumer sees, as a part of another page. It is escaped as a whole, because its direction marks
 * matter.
 */
export function receiptFrame(document: string): Html {
  return html`<iframe
    class="receipt"
    title="The receipt as its consumer sees it"
    sandbox
    srcdoc="${new Html(escapeHtml(document))}"
  ></iframe>`;
}
