import type { HandlerOf } from '../../handler-of';
import { rendered } from '../in-steps';
import { localeOf } from '../labels/locale';
import type { FindLogo } from '../images/logo';
import { fileName, pdfOf } from '../pdf/pdf';
import { viewInSteps } from '../view/view';
import type { ProofIssuer } from '../mail/mail-files';
import type { ViewRecorder } from '../view-recorder';
import { openLink, type LinkDependencies } from './open-link';
import type { PdfRenderer } from './pdf-renderer';

export interface ShowReceiptPdfDependencies extends LinkDependencies {
  readonly pdfs: PdfRenderer;
  readonly proofs: ProofIssuer;
  readonly viewRecorder: Pick<ViewRecorder, 'note'>;
  readonly findLogo: FindLogo;
  /** The renderer; defaults to `pdfOf`. */
  readonly render?: (...args: Required<Parameters<typeof pdfOf>>) => Promise<Buffer>;
}

/** Returns the PDF of a receipt. A PDF is generated once for each version, paper and language. */
export function showReceiptPdf(deps: ShowReceiptPdfDependencies): HandlerOf<'showReceiptPdf'> {
  const { render = pdfOf, viewRecorder, pdfs } = deps;
  return async ({ params, query, headers }, call) => {
    const { receipt, version, retailer, links } = await openLink(params.token, call, deps);
    viewRecorder.note({ retailer: retailer.id, receipt, headers }, call);
    const { settings } = retailer;
    const reader = { lang: query.lang, acceptLanguage: headers['accept-language'] };
    const locale = localeOf(receipt, reader, settings.locale);
    const key = [params.token, version, retailer.version, locale, query.format].join('|');
    const request = { key, retailer: retailer.id, items: receipt.items.length };
    const pdf = await pdfs.render(request, call, async (signal) => {
      const view = await rendered(viewInSteps(receipt, settings, reader), signal);
      const proof = await deps.proofs.of(retailer.id, receipt);
      const logo = await deps.findLogo(view.brand.logo);
      const content = await render(view, query.format, links.webview.href, { signal, proof, logo });
      // A PDF without its logo is not kept, so that the next reader may see the logo.
      return { content, isFinal: logo !== undefined || view.brand.logo === null };
    });
    return {
      body: pdf,
      meta: { contentType: 'application/pdf', filename: fileName(receipt.transaction_id) },
    };
  };
}
