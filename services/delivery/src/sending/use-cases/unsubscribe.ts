import { identifierContracts, type deliveryContracts, type LinkTokens } from '@receipts/contracts';
import { delegatedCall, ServiceError, unavailable, type Call, type Handler } from '@receipts/kernel';
import type { Endpoint } from '../../endpoint';
import { unsubscribePageOf } from '../../rendering/unsubscribe-page';
import { viewOf, type ReceiptView } from '../../rendering/view';
import { openLink, type LinkParts, type Opened } from '../../rendering/use-cases/open-link';

type Unsubscribe = (typeof deliveryContracts)['unsubscribe'];
type Input = Parameters<Handler<Unsubscribe>>[0];

const unknownStatus = 404;
const conflictStatus = 409;
const expectedStatuses = [unknownStatus, conflictStatus];
/** Conflicts are rare, so more attempts are hardly ever needed. */
const attemptsMax = 5;

export interface UnsubscribeParts extends LinkParts {
  /**
   * These tokens differ from those of pages, so that the link to a receipt cannot be used to unsubscribe its consumer.
   */
  readonly unsubscribeTokens: LinkTokens;
}

/** Shows a form and changes nothing, because mail scanners open every link. */
export function showUnsubscribe(parts: UnsubscribeParts): Endpoint<'showUnsubscribe'> {
  return async (input, call) => pageFor(await opened(input, call, parts), false);
}

/** Opts a consumer out of receipts. */
export function unsubscribe(parts: UnsubscribeParts): Handler<Unsubscribe> {
  return async (input, call) => {
    const { view, receipt, retailer } = await opened(input, call, parts);
    if (receipt.identifier !== null)
      await optOut(receipt.identifier, { ...call, retailer: retailer.id }, parts);
    return pageFor({ view }, true);
  };
}

async function opened(
  { params, query, headers }: Pick<Input, 'params' | 'query' | 'headers'>,
  call: Call,
  parts: UnsubscribeParts,
): Promise<Opened & { view: ReceiptView }> {
  // Unsubscribing works even after the receipt's links were revoked.
  const generations = { current: () => Promise.resolve(0) };
  const found = await openLink(params.token, call, {
    ...parts,
    tokens: parts.unsubscribeTokens,
    generations,
  });
  const reader = { lang: query.lang, acceptLanguage: headers['accept-language'] };
  // The page shows no items, of which there may be thousands.
  const receipt = { ...found.receipt, items: [] };
  return { ...found, view: viewOf(receipt, found.retailer.settings, reader) };
}

function pageFor({ view }: { view: ReceiptView }, isDone: boolean) {
  const { html, contentSecurityPolicy } = unsubscribePageOf(view, isDone);
  return {
    body: Buffer.from(html),
    meta: { contentType: 'text/html; charset=utf-8', contentSecurityPolicy },
  };
}

/** @throws ServiceError 503 if other changes of the identifier came first each time */
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
    // The receipt's identifier is not known to the identifier service yet, or becomes known at this moment.
    if ((await statusOf(ask(identifierContracts.createIdentifier, created, inner))) === undefined) return;
  }
  throw new ServiceError(unavailable, { internal: 'the identifier is being changed by others' });
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
