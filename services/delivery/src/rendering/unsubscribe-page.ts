import { escapeHtml as e } from '@receipts/contracts';
import { styleHash, type Page } from './page';
import { pageStyle } from './page-style';
import type { ReceiptView } from './view';

const style = `${pageStyle}h2{font-size:1.0625rem;color:inherit;text-align:center;margin:.75rem 0 1.25rem}`;

/** Asks a consumer to confirm unsubscribing, or says that it is done. The form posts to the page's own URL. */
export function unsubscribePageOf({ locale, direction, labels, brand }: ReceiptView, isDone: boolean): Page {
  const content = isDone
    ? `<h2 role="status">${e(labels.unsubscribed)}</h2>`
    : `<h2>${e(labels.unsubscribeQuestion)}</h2><form method="post"><button class="button">${e(labels.unsubscribe)}</button></form>`;
  const html =
    `<!doctype html><html lang="${e(locale)}" dir="${direction}"><head><meta charset="utf-8">` +
    '<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex,nofollow">' +
    `<meta name="referrer" content="no-referrer"><title>${e(`${labels.unsubscribe} · ${brand.name}`)}</title>` +
    `<style>${style}</style></head><body><main><article><header><h1>${e(brand.name)}</h1></header>` +
    `<section>${content}</section></article></main></body></html>`;
  return {
    html,
    contentSecurityPolicy:
      `default-src 'none'; style-src ${styleHash(style)}; base-uri 'none'; form-action 'self'; ` +
      `frame-ancestors 'none'`,
  };
}
