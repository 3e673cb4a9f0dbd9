import { receiptStoreContracts, type adminContracts, type ReturnedReceipt } from '@receipts/contracts';
import type { Input } from '@receipts/kernel';
import { field } from '../pages/form-fields';
import { html, type Html } from '../pages/html';
import { parameterOf } from '../pages/older-link';
import { portalPage } from './page';
import { amountPattern, cardPattern, searchQuery } from './search-query';
import { checkPermission, type SignedIn } from './signed-in';
import { firstSteps } from './start';
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
  const value = parameterOf(link, name);
  return value === undefined ? undefined : { [name]: value };
}

async function latest({ ask }: Portal, who: SignedIn, { next, prev }: Query): Promise<Found> {
  checkPermission(who, 'view.get_receipt');
  const { t } = who.language;
  const query = { count: pageCount, ...(next && { next }), ...(prev && { prev }) };
  const { body } = await ask(receiptStoreContracts.listReceipts, { query }, who.call);
  const newer = tokenOf(body._links.prev, 'prev');
  const older = tokenOf(body._links.next, 'next');
  return {
    summary: t(body.receipts.length === 0 ? 'found.noneYet' : 'found.latest'),
    receipts: body.receipts,
    ...(newer && { newer }),
    ...(older && { older }),
  };
}

async function search(deps: Portal, who: SignedIn, query: Query): Promise<Found | undefined> {
  const { offset = 0, customer = '' } = query;
  const askFor = async (text: string) =>
    (
      await deps.ask(
        receiptStoreContracts.searchReceipts,
        { query: { query: text, count: pageCount, offset } },
        who.call,
      )
    ).body;
  const text = searchQuery(query, who, 'identifier.exact');
  if (text === undefined) return undefined;
  checkPermission(who, 'view.search_receipt');
  let found = await askFor(text);
  const byEmail = customer.includes('@') && searchQuery(query, who, 'properties.email.exact');
  if (found.hits === 0 && byEmail) found = await askFor(byEmail);
  const { hits, receipts } = found;
  const { t, number, plural } = who.language;
  const atLeast = found.hits_relation === 'at_least' && t('found.atLeast', { count: number(hits) });
  const isMore = hits > offset + pageCount && offset + pageCount <= offsetMax;
  return {
    summary: hits === 0 ? t('found.none') : atLeast || plural('found', hits),
    receipts,
    ...(offset > 0 && { newer: { offset: String(Math.max(0, offset - pageCount)) } }),
    ...(isMore && { older: { offset: String(offset + pageCount) } }),
  };
}

function resultOf(receipt: ReturnedReceipt, { base, language }: SignedIn): Html {
  const { t, money, localTime } = language;
  const { id, store, identifier, l10n } = receipt;
  const where = store.name ?? t('storeNumber', { store: receipt.store_reference });
  const tags = [
    receipt.duplicate && t('tag.duplicate'),
    receipt.incomplete && t('tag.incomplete'),
    receipt.items.some((item) => item.return) && t('tag.return'),
  ].filter((tag) => tag !== false);
  return html`<li>
    <a href="${base}/portal/receipts/${id}">
      <strong>${where}</strong>
      <span class="sum">${money(l10n.currency)(receipt.total)}</span>
      <small>${receipt.transaction_id}${tags.map((tag) => html` <span class="tag">${tag}</span>`)}</small>
      <small class="right">${localTime(receipt.localtime)}</small>
      <small>${identifier ?? t('notAssigned')}</small>
    </a>
  </li>`;
}

function addressOf(base: string, query: Query, change: Readonly<Record<string, string>>): string {
  const kept = Object.entries(query).filter(
    ([name, value]) => typeof value === 'string' && value !== '' && name !== 'next' && name !== 'prev',
  ) as [string, string][];
  return `${base}/portal/?${new URLSearchParams([...kept, ...Object.entries(change)]).toString()}`;
}

function pagesOf(found: Found, query: Query, { base, language: { t } }: SignedIn): Html | undefined {
  const { newer, older } = found;
  if (!newer && !older) return undefined;
  return html`<nav class="pages" aria-label="${t('more')}">
    ${newer ? html`<a class="button quiet" rel="prev" href="${addressOf(base, query, newer)}">${t('newer')}</a>` : html`<span></span>`}
    ${older && html`<a class="button quiet" rel="next" href="${addressOf(base, query, older)}">${t('older')}</a>`}
  </nav>`;
}

function finderOf(query: Query, { base, language: { t } }: SignedIn): Html {
  const inField = (name: 'customer' | 'transaction' | 'store' | 'item', label: string) =>
    field({ name, label, value: query[name] });
  const isAdvanced = (query.query ?? '') !== '';
  return html`<section class="card" aria-labelledby="finder">
    <h1 id="finder">${t('find')}</h1>
    <form method="get" action="${base}/portal/" role="search" aria-label="${t('menu.receipts')}">
      <div class="finder">
        ${inField('customer', t('find.customer'))} ${inField('transaction', t('find.transaction'))}
        ${inField('store', t('store'))} ${inField('item', t('find.item'))}
        ${field({ name: 'amount', label: t('find.amount'), value: query.amount, pattern: amountPattern })}
        ${field({ name: 'card', label: t('find.card'), value: query.card, pattern: cardPattern })}
        ${field({ name: 'from', label: t('from'), type: 'date', value: query.from })}
        ${field({ name: 'to', label: t('to'), type: 'date', value: query.to })}
      </div>
      <div class="actions">
        <button>${t('find.submit')}</button>
        <a class="button quiet" href="${base}/portal/">${t('find.latest')}</a>
      </div>
    </form>
    <details ${isAdvanced && html`open`}>
      <summary>${t('find.language')}</summary>
      <form method="get" action="${base}/portal/">
        ${field({
          name: 'query',
          label: t('find.query'),
          value: query.query,
          hint: t('find.queryHint', { example: '+total:[20 TO *] +items.name:shirt -payments.method:cash' }),
        })}
        <button>${t('find.search')}</button>
      </form>
    </details>
  </section>`;
}

/** Shown instead of a list while the retailer has no receipts. */
async function emptyView(deps: Portal, who: SignedIn): Promise<Html> {
  const { t } = who.language;
  return html`<section class="card" aria-labelledby="first">
    <h2 id="first">${t('found.noneYet')}</h2>
    <p>${t('first.till')}</p>
    ${await firstSteps(deps, who)}
  </section>`;
}

function foundView(found: Found, query: Query, who: SignedIn): Html {
  return html`<section aria-labelledby="found">
    <h2 id="found">${found.summary}</h2>
    <ul class="results">
      ${found.receipts.map((receipt) => resultOf(receipt, who))}
    </ul>
    ${pagesOf(found, query, who)}
  </section>`;
}

export const portalHome = (deps: Portal): Endpoint<'portalHome'> =>
  portalPage(deps, {
    title: 'menu.receipts',
    place: '/portal/',
    form: ({ query }, who) => finderOf(query, who),
    result: async ({ query }, who) => {
      const searched = await search(deps, who, query);
      const found = searched ?? (await latest(deps, who, query));
      const isFirst = !searched && found.receipts.length === 0 && !found.newer && !found.older;
      if (isFirst) return emptyView(deps, who);
      return foundView(found, query, who);
    },
  });
