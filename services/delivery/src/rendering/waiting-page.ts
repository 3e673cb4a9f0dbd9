import { escapeHtml as e } from '@receipts/contracts';
import { labelsOf } from './labels';
import { directionOf } from './locale';
import { simplePage, type Page } from './page';
import type { ReceiptView } from './view';

/** A receipt usually arrives within seconds. Offline tills take longer, but the page is cheap to render. */
const refreshSeconds = 5;

/** Tells the reader that the receipt of a reserved link is on its way. The page refreshes itself without a script. */
export function waitingPageOf(brand: ReceiptView['brand'], locale: string): Page {
  const { onItsWay } = labelsOf(locale);
  return simplePage({
    ...{ brand, locale, direction: directionOf(locale), title: onItsWay },
    head: `<meta http-equiv="refresh" content="${refreshSeconds}">`,
    content: `<h2 role="status">${e(onItsWay)}</h2>`,
  });
}
