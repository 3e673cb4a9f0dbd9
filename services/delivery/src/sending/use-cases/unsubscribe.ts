import {
  identifierContracts,
  linkNotFound,
  type deliveryContracts,
  type LinkTokens,
  type Retailer,
} from '@receipts/contracts';
import { html } from '@receipts/html';
import { delegatedCall, ServiceError, unavailable, type Call, type Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf } from '../../handler-of';
import { labelsOf } from '../../rendering/labels/labels';
import { labelLocale } from '../../rendering/labels/locale';
import { simplePage } from '../../rendering/page/html-page';
import { brandOf } from '../../rendering/view/view';
import type { ModuleDependencies } from '../../module-dependencies';
import type { OptOuts } from '../storage/opt-outs';
import type { RecipientDocument, Recipients } from '../storage/recipients';

type Unsubscribe = (typeof deliveryContracts)['unsubscribe'];
type Input = Parameters<Handler<Unsubscribe>>[0];

const unknownStatus = 404;
const conflictStatus = 409;
const expectedStatuses = [unknownStatus, conflictStatus];
/** Conflicts are rare, so more attempts are rarely needed. */
const attemptsMax = 5;

export interface UnsubscribeDependencies extends Pick<ModuleDependencies, 'ask' | 'retailer' | 'now'> {
  /**
   * These tokens differ from those of pages, so that the link to a receipt cannot be used to unsubscribe its consumer.
   */
  readonly unsubscribeTokens: LinkTokens;
  readonly recipients: Recipients;
  readonly optOuts: OptOuts;
}

/** Shows a form and changes nothing, because mail scanners open every link. */
export function showUnsubscribe(deps: UnsubscribeDependencies): HandlerOf<'showUnsubscribe'> {
  return async (input, call) => {
    const { retailer } = await recipientOf(input, call, deps);
    return pageFor(input, await deps.retailer(retailer, { ...call, retailer }), false);
  };
}

/**
 * Opts the recipient of the e-mail out of receipts: the address, and its consumer. The consumer's tag shows the opt-out to
 * the retailer; the hashes remember it even after the consumer was erased.
 */
export function unsubscribe(deps: UnsubscribeDependencies): Handler<Unsubscribe> {
  return async (input, call) => {
    const { retailer, identifier, person, address } = await recipientOf(input, call, deps);
    const ofRetailer = { ...call, retailer };
    const { optOuts, now } = deps;
    await optOuts.add(retailer, { person, addresses: [address] }, now(), deadlineSignal(call));
    if (identifier !== undefined) await addTag(identifier, ofRetailer, deps);
    return pageFor(input, await deps.retailer(retailer, ofRetailer), true);
  };
}

/** @throws ServiceError 404 `link_not_found` */
async function recipientOf(
  { params }: Pick<Input, 'params'>,
  call: Call,
  { unsubscribeTokens, recipients }: UnsubscribeDependencies,
): Promise<RecipientDocument> {
  const linked = unsubscribeTokens.open(params.token);
  const found = linked && (await recipients.find(linked.retailer, linked.receiptId, deadlineSignal(call)));
  if (!found) throw new ServiceError(linkNotFound);
  return found;
}

/**
 * Asks the recipient to confirm, or reports that it is done, in the language that the reader prefers, otherwise that of
 * the retailer. The form posts to the page's own URL.
 */
function pageFor(
  { query, headers }: Pick<Input, 'query' | 'headers'>,
  { settings, name }: Retailer,
  isDone: boolean,
) {
  const reader = { lang: query.lang, acceptLanguage: headers['accept-language'] };
  const locale = labelLocale(reader, settings.locale);
  const labels = labelsOf(locale);
  const page = simplePage({
    locale,
    brand: brandOf(settings, name, locale),
    title: labels.unsubscribe,
    content: isDone
      ? html`<h2 role="status">${labels.unsubscribed}</h2>`
      : html`<h2>${labels.unsubscribeQuestion}</h2>
          <form method="post"><button class="button">${labels.unsubscribe}</button></form>`,
    formAction: "'self'",
  });
  return {
    body: Buffer.from(page.html),
    meta: {
      contentType: 'text/html; charset=utf-8',
      contentSecurityPolicy: page.contentSecurityPolicy,
    },
  };
}

/** @throws ServiceError 503 if other changes to the identifier came first in every attempt */
async function addTag(identifier: string, call: Call, { ask, now }: UnsubscribeDependencies): Promise<void> {
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
    // The identifier is not known to the identifier service yet, or is being created at this moment.
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
