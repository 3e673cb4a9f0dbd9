import { TenantLimiter } from '@receipts/concurrency';
import { remainingMs, ServiceError, unavailable, retrySoon } from '@receipts/kernel';
import type { Endpoint } from '../../endpoint';
import { LRUCache } from 'lru-cache';
import { rendered } from '../in-parts';
import { localeOf } from '../labels/locale';
import type { FindLogo } from '../images/logo';
import { fileName, pdfOf } from '../pdf/pdf';
import { viewInParts } from '../view/view';
import type { ProofIssuer } from '../mail/mail-files';
import type { ViewRecorder } from '../view-recorder';
import { openLink, type LinkParts } from './open-link';

const cachedBytesMax = 16 * 1024 * 1024;
/**
 * A long receipt takes seconds if others are rendered at the same time. A rejected caller that retries may find it in
 * the cache.
 */
const limits = {
  runningMax: 2,
  waitingMax: 32,
  refuse: (internal: string) => retrySoon(unavailable, { internal }),
};
/** Receipts with more items wait for each other, so that others do not wait for them. */
const itemsOfShort = 200;
/** Applies even if the caller waits longer. */
const timeMaxMs = 30_000;

export interface ShowReceiptPdfParts extends LinkParts {
  readonly proofs: ProofIssuer;
  readonly viewRecorder: Pick<ViewRecorder, 'note'>;
  readonly findLogo: FindLogo;
  /** The renderer; defaults to `pdfOf`. */
  readonly render?: (...args: Required<Parameters<typeof pdfOf>>) => Promise<Buffer>;
}

/** Aborts the work when the time limit has passed, because the caller no longer waits for the result. */
async function inTime<T>(timeLeftMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(Math.ceil(timeLeftMs));
  try {
    return await work(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    const internal = 'the receipt could not be rendered in time';
    throw new ServiceError(unavailable, { internal, headers: { 'retry-after': '1' } });
  }
}

/** Returns the PDF of a receipt. A PDF is generated once for each version, paper and language. */
export function showReceiptPdf(parts: ShowReceiptPdfParts): Endpoint<'showReceiptPdf'> {
  const { render = pdfOf, viewRecorder, now } = parts;
  const limiter = new TenantLimiter(limits);
  const cached = new LRUCache<string, Buffer>({
    maxSize: cachedBytesMax,
    sizeCalculation: (pdf) => Math.max(1, pdf.length),
  });
  return async ({ params, query, headers }, call) => {
    const { receipt, version, retailer, links } = await openLink(params.token, call, parts);
    viewRecorder.note({ retailer: retailer.id, receipt, headers }, call);
    const { settings } = retailer;
    const reader = { lang: query.lang, acceptLanguage: headers['accept-language'] };
    const locale = localeOf(receipt, reader, settings.locale);
    const key = [params.token, version, retailer.version, locale, query.format].join('|');
    const draw = async (signal: AbortSignal) => {
      const view = await rendered(viewInParts(receipt, settings, reader), signal);
      const proof = await parts.proofs.of(retailer.id, receipt);
      const logo = await parts.findLogo(view.brand.logo);
      const pdf = await render(view, query.format, links.webview.href, { signal, proof, logo });
      // A PDF without its logo is not cached, so that the next reader may see the logo.
      if (logo || view.brand.logo === null) cached.set(key, pdf);
      return pdf;
    };
    const queue = receipt.items.length > itemsOfShort ? `${retailer.id}|long` : retailer.id;
    const timeLeft = () => Math.min(timeMaxMs, remainingMs(call, now().getTime()));
    const pdf =
      cached.get(key) ??
      (await limiter.run(queue, timeLeft(), async () => cached.get(key) ?? (await inTime(timeLeft(), draw))));
    return {
      body: pdf,
      meta: { contentType: 'application/pdf', filename: fileName(receipt.transaction_id) },
    };
  };
}
