import { receiptStoreContracts, type adminContracts, type ReturnedReceipt } from '@receipts/contracts';
import type { Input } from '@receipts/kernel';
import { field } from '../pages/form-fields';
import { moneyFormat, timeText } from '../pages/formats';
import { html, type Html } from '../pages/html';
import { redirectTo } from '../pages/reply';
import { portalPage } from './page';
import { amountPattern, cardPattern, searchQuery } from './search-query';
import { checkPermission, type SignedIn } from './signed-in';
import type { Endpoint, Portal } from './open-portal';

type Query = Input<(typeof adminContracts)['portalHome']>['query'];

/** One page of results, with links to its neighbours. */
interface Found {
  readonly summary: string;
  readonly receipts: readonly ReturnedReceipt[];
  /** The query parameters of the neighbouring pages. */
  readonly newer?: Readonly<Record<string, string>>;
  readonly older?: Readonly<Record<string, string>>;
}

const pageCount = 20;
const offsetMax = 1000;

function tokenOf(
  link: { readonly href: string } | undefined,
  name: string,
): Record<string, string> | undefined {
  const value = link && new URLSearchParams(link.href.split('?')[1]).get(name);
  return value ? { [name]: value } : undefined;
}

async function latest({ ask }: Portal, who: SignedIn, { next, prev }: Query): Promise<Found> {
  checkPermission(who, 'view.get_receipt');
  const query = { count: pageCount, ...(next && { next }), ...(prev && { prev }) };
  const { body } = await ask(receiptStoreContracts.listReceipts, { query }, who.call);
  const newer = tokenOf(body._links.prev, 'prev');
  const older = tokenOf(body._links.next, 'next');
  return {
    summary: body.receipts.length === 0 ? 'There are no receipts yet.' : 'Latest receipts',
    receipts: body.receipts,
    ...(newer && { newer }),
    ...(older && { older }),
  };
}

async function search(deps: Portal, who: SignedIn, query: Query): Promise<Found | undefined> {
  const { timezone } = who.retailer.settings;
  const { offset = 0, customer = '' } = query;
  const askFor = async (text: string) =>
    (
      await deps.ask(
        receiptStoreContracts.searchReceipts,
        { query: { query: text, count: pageCount, offset } },
        who.call,
      )
    ).body;
  const text = searchQuery(query, timezone, 'identifier.exact');
  if (text === undefined) return undefined;
  checkPermission(who, 'view.search_receipt');
  let found = await askFor(text);
  const byEmail = customer.includes('@') && searchQuery(query, timezone, 'properties.email.exact');
  if (found.hits === 0 && byEmail) found = await askFor(byEmail);
  const { hits, receipts } = found;
  const many = found.hits_relation === 'at_least' ? `more than ${hits}` : `${hits}`;
  const isMore = hits > offset + pageCount && offset + pageCount <= offsetMax;
  return {
    summary: hits === 0 ? 'No receipts found.' : `${many} ${hits === 1 ? 'receipt' : 'receipts'} found`,
    receipts,
    ...(offset > 0 && { newer: { offset: String(Math.max(0, offset - pageCount)) } }),
    ...(isMore && { older: { offset: String(offset + pageCount) } }),
  };
}

function resultOf(receipt: ReturnedReceipt, locale: string, base: string): Html {
  const { id, store, identifier, l10n } = receipt;
  const where = store.name ?? `Store ${receipt.store_reference}`;
  const tags = [
    receipt.duplicate && 'duplicate',
    receipt.incomplete && 'incomplete',
    receipt.items.some((item) => item.return) && 'return',
  ].filter((tag) => tag !== false);
  return html`<li>
    <a href="${base}/portal/receipts/${id}">
      <strong>${where}</strong>
      <span class="sum">${moneyFormat(locale, l10n.currency)(receipt.total)}</span>
      <small>${receipt.transaction_id}${tags.map((tag) => html` <span class="tag">${tag}</span>`)}</small>
      <small class="right">${timeText(receipt.localtime)}</small>
      <small>${identifier ?? 'not assigned'}</small>
    </a>
  </li>`;
}

function addressOf(base: string, query: Query, change: Readonly<Record<string, string>>): string {
  const kept = Object.entries(query).filter(
    ([name, value]) => typeof value === 'string' && value !== '' && name !== 'next' && name !== 'prev',
  ) as [string, string][];
  return `${base}/portal/?${new URLSearchParams([...kept, ...Object.entries(change)]).toString()}`;
}

function pagesOf(found: Found, query: Query, base: string): Html | undefined {
  const { newer, older } = found;
  if (!newer && !older) return undefined;
  return html`<nav class="pages" aria-label="Pages">
    ${newer ? html`<a class="button quiet" rel="prev" href="${addressOf(base, query, newer)}">Newer</a>` : html`<span></span>`}
    ${older && html`<a class="button quiet" rel="next" href="${addressOf(base, query, older)}">Older</a>`}
  </nav>`;
}

function finderOf(query: Query, base: string): Html {
  const inField = (name: 'customer' | 'transaction' | 'store' | 'item', label: string) =>
    field({ name, label, value: query[name] });
  const isAdvanced = (query.query ?? '') !== '';
  return html`<section class="card" aria-labelledby="finder">
    <h1 id="finder">Find a receipt</h1>
    <form method="get" action="${base}/portal/" role="search" aria-label="Receipts">
      <div class="finder">
        ${inField('customer', 'Card or e-mail')} ${inField('transaction', 'Transaction')}
        ${inField('store', 'Store')} ${inField('item', 'Item')}
        ${field({ name: 'amount', label: 'Amount', value: query.amount, pattern: amountPattern })}
        ${field({ name: 'card', label: 'Last 4 card digits', value: query.card, pattern: cardPattern })}
        ${field({ name: 'from', label: 'From', type: 'date', value: query.from })}
        ${field({ name: 'to', label: 'To', type: 'date', value: query.to })}
      </div>
      <div class="actions">
        <button>Find</button>
        <a class="button quiet" href="${base}/portal/">Latest</a>
      </div>
    </form>
    <details ${isAdvanced && html`open`}>
      <summary>Search language</summary>
      <form method="get" action="${base}/portal/">
        ${field({
          name: 'query',
          label: 'Query',
          value: query.query,
          hint: 'For example: +total:[20 TO *] +items.name:shirt -payments.method:cash',
        })}
        <button>Search</button>
      </form>
    </details>
  </section>`;
}

/** What the staff of a new retailer do first, as far as they may. */
function firstSteps(who: SignedIn, base: string): Html {
  const steps = [
    [
      'view.post_client',
      'integration',
      'Make a client for your tills',
      'Its token is what they send receipts with.',
    ],
    [
      'view.manage_mapping',
      'mappings',
      'Write a mapping',
      'Only if your tills send slips or files of their own.',
    ],
    ['view.manage_webhook', 'webhooks', 'Add a webhook', 'Only if a system of yours follows receipts.'],
  ] as const;
  const allowed = steps.filter(([permission]) => who.may(permission));
  return html`<section class="card" aria-labelledby="first">
    <h2 id="first">There are no receipts yet.</h2>
    ${
      allowed.length === 0
        ? html`<p>They appear here as soon as a till sends one.</p>`
        : html`<ol>
            ${allowed.map(
              ([, page, label, why]) => html`<li><a href="${base}/portal/${page}">${label}</a>. ${why}</li>`,
            )}
          </ol>`
    }
  </section>`;
}

function foundView(found: Found, query: Query, { retailer }: SignedIn, base: string): Html {
  return html`<section aria-labelledby="found">
    <h2 id="found">${found.summary}</h2>
    <ul class="results">
      ${found.receipts.map((receipt) => resultOf(receipt, retailer.settings.locale, base))}
    </ul>
    ${pagesOf(found, query, base)}
  </section>`;
}

export const portalHome = (deps: Portal): Endpoint<'portalHome'> =>
  portalPage(deps, {
    title: 'Receipts',
    place: '/portal/',
    form: ({ query }) => finderOf(query, deps.base),
    result: async ({ query }, who) => {
      const searched = await search(deps, who, query);
      const found = searched ?? (await latest(deps, who, query));
      const isFirst = !searched && found.receipts.length === 0 && !found.newer && !found.older;
      if (isFirst) return firstSteps(who, deps.base);
      return foundView(found, query, who, deps.base);
    },
  });

export function portalRoot(): Endpoint<'portalRoot'> {
  return async () => redirectTo('/portal/');
}
