import {
  escapeHtml as e,
  identifierContracts,
  type deliveryContracts,
  type LinkTokens,
} from '@receipts/contracts';
import { delegatedCall, ServiceError, unavailable, type Call, type Handler } from '@receipts/kernel';
import type { Endpoint } from '../../endpoint';
import { labelsOf } from '../../rendering/labels';
import { labelLocale, localeOf } from '../../rendering/locale';
import { simplePage } from '../../rendering/page';
import { brandOf } from '../../rendering/view';
import { openLink, type LinkParts, type Opened } from '../../rendering/use-cases/open-link';

type Unsubscribe = (typeof deliveryContracts)['unsubscribe'];
type Input = Parameters<Handler<Unsubscribe>>[0];

const unknownStatus = 404;
const conflictStatus = 409;
const expectedStatuses = [unknownStatus, conflictStatus];
/** Conflicts are rare, so more attempts are rarely needed. */
const attemptsMax = 5;

export interface UnsubscribeParts extends LinkParts {
  /**
   * These tokens differ from those of pages, so that the link to a receipt cannot be used to unsubscribe its consumer.
   */
  readonly unsubscribeTokens: LinkTokens;
}

/** Shows a form and changes nothing, because mail scanners open every link. */
export function showUnsubscribe(parts: UnsubscribeParts): Endpoint<'showUnsubscribe'> {
  return async (input, call) => pageFor(input, await opened(input, call, parts), false);
}

/** Opts a consumer out of receipts. */
export function unsubscribe(parts: UnsubscribeParts): Handler<Unsubscribe> {
  return async (input, call) => {
    const found = await opened(input, call, parts);
    const { receipt, retailer } = found;
    if (receipt.identifier !== null)
      await optOut(receipt.identifier, { ...call, retailer: retailer.id }, parts);
    return pageFor(input, found, true);
  };
}

function opened({ params }: Pick<Input, 'params'>, call: Call, parts: UnsubscribeParts): Promise<Opened> {
  // Unsubscribing works even after the receipt's links were revoked.
  const generations = { current: () => Promise.resolve(0) };
  return openLink(params.token, call, { ...parts, tokens: parts.unsubscribeTokens, generations });
}

/**
 * Asks the consumer to confirm, or reports that it is done, in the language that the reader prefers, otherwise that of
 * the receipt. The form posts to the page's own URL.
 */
function pageFor(
  { query, headers }: Pick<Input, 'query' | 'headers'>,
  { receipt, retailer }: Opened,
  isDone: boolean,
) {
  const { settings, name } = retailer;
  const reader = { lang: query.lang, acceptLanguage: headers['accept-language'] };
  const locale = labelLocale(reader, localeOf({ ...receipt, items: [] }, {}, settings.locale));
  const labels = labelsOf(locale);
  const { html, contentSecurityPolicy } = simplePage({
    locale,
    brand: brandOf(settings, name, locale),
    title: labels.unsubscribe,
    content: isDone
      ? `<h2 role="status">${e(labels.unsubscribed)}</h2>`
      : `<h2>${e(labels.unsubscribeQuestion)}</h2><form method="post"><button class="button">${e(labels.unsubscribe)}</button></form>`,
    formAction: "'self'",
  });
  return {
    body: Buffer.from(html),
    meta: { contentType: 'text/html; charset=utf-8', contentSecurityPolicy },
  };
}

/** @throws ServiceError 503 if other changes to the identifier came first in every attempt */
async function optOut(identifier: string, call: Call, { ask, now }: UnsubscribeParts): Promise<void> {
  const inner = delegatedCall('delivery', call, now().getTime());
  const patch = {
    params: { identifier },
    headers: {},
    body: { properties: { 'opt-out+=': ['receipts'] } },
    contentType: 'application/json',
  };
  const created = { body: { identifier, properties: { 'opt-out': ['receipts'] } } };
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const status = await statusOf(ask(identifierContracts.patchIdentifier, patch, inner));
    if (status === undefined) return;
    if (status === conflictStatus) continue;
    // The receipt's identifier is not known to the identifier service yet, or is being created at this moment.
    if ((await statusOf(ask(identifierContracts.createIdentifier, created, inner))) === undefined) return;
  }
  throw new ServiceError(unavailable, { internal: 'the identifier is being changed concurrently' });
}

/** The status if the identifier is unknown, exists already, or was changed meanwhile; undefined if the request succeeded. */
async function statusOf(asked: Promise<unknown>): Promise<number | undefined> {
  try {
    await asked;
    return undefined;
  } catch (error) {
    const isExpected = error instanceof ServiceError && expectedStatuses.includes(error.status);
    if (!isExpected) throw error;
    return error.status;
  }
}
