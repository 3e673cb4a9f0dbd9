import type { deliveryContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { LRUCache } from 'lru-cache';
import { pdfOf } from '../rendering/pdf';
import { viewOf } from '../rendering/view';
import type { ViewNotes } from './note-view';
import { openLink, type LinkParts } from './open-link';

const cachedBytesMax = 16 * 1024 * 1024;
const namePattern = /[^A-Za-z0-9._-]+/g;
const nameCharactersMax = 64;

/** Returns the PDF of a receipt. It is generated once for each version, paper and language. */
export function showReceiptPdf(
  parts: LinkParts & { readonly viewNotes: Pick<ViewNotes, 'note'> },
): Handler<(typeof deliveryContracts)['showReceiptPdf']> {
  const cached = new LRUCache<string, Buffer>({
    maxSize: cachedBytesMax,
    sizeCalculation: (pdf) => Math.max(1, pdf.length),
  });
  return async ({ params, query, headers }, call) => {
    const { receipt, version, retailer, links } = await openLink(params.token, call, parts);
    parts.viewNotes.note({ retailer: retailer.id, receipt, headers }, call);
    const reader = { lang: query.lang, acceptLanguage: headers['accept-language'] };
    const view = viewOf(receipt, retailer.settings, reader);
    const key = [params.token, version, retailer.version, view.locale, query.format].join('|');
    const pdf = cached.get(key) ?? (await pdfOf(view, query.format, links.webview.href));
    cached.set(key, pdf);
    const name = view.number.replace(namePattern, '-').slice(0, nameCharactersMax);
    return { body: pdf, meta: { contentType: 'application/pdf', filename: `${name || 'receipt'}.pdf` } };
  };
}
