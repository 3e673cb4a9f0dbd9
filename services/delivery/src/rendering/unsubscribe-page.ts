import { escapeHtml as e } from '@receipts/contracts';
import { labelsOf } from './labels';
import { directionOf } from './locale';
import { simplePage, type Page } from './page';
import type { ReceiptView } from './view';

/**
 * A page that asks a consumer to confirm unsubscribing, or reports that it is done. The form posts to the page's own
 * URL.
 */
export function unsubscribePageOf(brand: ReceiptView['brand'], locale: string, isDone: boolean): Page {
  const labels = labelsOf(locale);
  const content = isDone
    ? `<h2 role="status">${e(labels.unsubscribed)}</h2>`
    : `<h2>${e(labels.unsubscribeQuestion)}</h2><form method="post"><button class="button">${e(labels.unsubscribe)}</button></form>`;
  const shared = { brand, locale, direction: directionOf(locale) };
  return simplePage({ ...shared, title: labels.unsubscribe, content, formAction: "'self'" });
}
