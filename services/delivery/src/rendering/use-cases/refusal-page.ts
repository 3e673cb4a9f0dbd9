import { giftEnded, linkNotFound, receiptDeletedError } from '@receipts/contracts';
import { html } from '@receipts/html';
import { ServiceError, type Call, type ErrorPage } from '@receipts/kernel';
import { labelsOf, type Labels } from '../labels/labels';
import { labelLocale, type Reader } from '../labels/locale';
import { simplePage } from '../page/html-page';
import type { LinkDependencies } from './open-link';
import { brandOf } from '../view/view';

interface Explanation {
  readonly code: string;
  readonly text: (labels: Labels) => string;
  /** What may be wrong, and what the reader can do. */
  readonly hint?: (labels: Labels) => string;
}

const explained: readonly Explanation[] = [
  { code: linkNotFound.code, text: ({ notFound }) => notFound, hint: ({ notFoundHint }) => notFoundHint },
  { code: receiptDeletedError.code, text: ({ deleted }) => deleted },
  { code: giftEnded.code, text: ({ giftEnded: ended }) => ended },
];

interface Request {
  readonly params: { readonly token: string };
  readonly query?: { readonly lang?: string | undefined } | undefined;
  readonly headers?: { readonly 'accept-language'?: string | undefined } | undefined;
}

type Dependencies = Pick<LinkDependencies, 'tokens' | 'retailer'>;

/** Explains in the reader's language why a link shows no receipt, with the retailer's brand if the link is genuine. */
async function pageOf(
  { text, hint }: Explanation,
  token: string,
  reader: Reader,
  call: Call,
  deps: Dependencies,
): Promise<ErrorPage> {
  const linked = deps.tokens.open(token);
  const retailer = linked && (await deps.retailer(linked.retailer, { ...call, retailer: linked.retailer }));
  const locale = labelLocale(reader, retailer?.settings.locale ?? '');
  const labels = labelsOf(locale);
  const page = simplePage({
    brand: retailer ? brandOf(retailer.settings, retailer.name, locale) : { name: labels.receipt },
    locale,
    title: text(labels),
    content: html`<h2>${text(labels)}</h2>
      ${hint && html`<p>${hint(labels)}</p>`}`,
  });
  return { ...page, language: locale };
}

/**
 * Adds a page to the errors of an endpoint whose path contains the token of a link. Callers other than browsers get the
 * plain error.
 */
export function withRefusalPage<Input, Reply>(
  deps: Dependencies,
  endpoint: (input: Input, call: Call) => Promise<Reply>,
): (input: Input, call: Call) => Promise<Reply> {
  return async (input, call) => {
    try {
      return await endpoint(input, call);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const found = explained.find(({ code }) => code === error.code);
      if (!found) throw error;
      const { params, query, headers } = input as Request;
      const reader = { lang: query?.lang, acceptLanguage: headers?.['accept-language'] };
      const page = await pageOf(found, params.token, reader, call, deps);
      throw ServiceError.fromWire({ ...error.toWire(), page });
    }
  };
}
