import type { adminPages, Store } from '@receipts/contracts';
import type { Input } from '@receipts/kernel';
import { field, postForm, selectField, success } from '../../pages/form-fields';
import { html, type Html } from '@receipts/html';
import { badge } from '../../pages/table';
import { orUndefined } from '../../pages/refusal';
import { doneText } from '../done-text';
import { knownStores } from '../known-stores';
import type { HandlerOf, Portal } from '../open-portal';
import { portalPage } from '../page';
import type { SignedIn } from '../signed-in';
import { firstSteps } from '../start';
import { amountPattern, markQueries, sendingMark, sendingMarks } from './filters';
import { findRows, sentAmong, type FoundRows } from './find-rows';
import { receiptTable } from './receipt-table';
import { listAddress, receiptsPath, type ListQuery } from './receipts-path';
import { saveForm, savedSearches, searchesDone } from './saved-searches';

type Query = Input<(typeof adminPages)['portalHome']>['query'];

const pageCount = 50;

/** The filters that the user has set, apart from the search box. */
const isFiltered = ({ store, from, to, mark, least, most }: ListQuery) =>
  [store, from, to, least, most].some((text) => text !== undefined && text !== '') ||
  (mark !== undefined && mark !== 'any');

function finderOf(query: Query, stores: readonly Store[], { base, language: { t } }: SignedIn): Html {
  const option = (value: string, label: string) => ({ value, label });
  const marks = [
    option('any', t('any')),
    ...Object.keys(markQueries).map((mark) => option(mark, t(`tag.${mark as keyof typeof markQueries}`))),
    ...sendingMarks.map((mark) => option(mark, t(`tag.${mark}`))),
  ];
  const orders = [option('sold', t('sort.sold')), option('arrived', t('sort.arrived'))];
  const amount = (name: 'least' | 'most', label: string) =>
    field({ name, label, value: query[name], pattern: amountPattern });
  return html`<section class="card finding" aria-labelledby="finder">
    <h1 id="finder" class="visually-hidden">${t('menu.receipts')}</h1>
    <form method="get" action="${base}${receiptsPath}" role="search" aria-label="${t('menu.receipts')}">
      <div class="searchbox">
        ${field({ name: 'query', label: t('find.query'), value: query.query, type: 'search', hint: t('find.queryHint', { example: '+total:[20 TO *] -voided:*' }) })}
        <div class="actions">
          <button>${t('find.submit')}</button>
          <a class="button quiet" href="${base}${receiptsPath}">${t('all')}</a>
        </div>
      </div>
      <details ${isFiltered(query) && html`open`}>
        <summary>${t('find.filters')}</summary>
        <div class="finder">
          ${field({ name: 'store', label: t('store'), value: query.store, list: stores.map(({ reference, name }) => ({ value: String(reference), label: name })) })}
          ${field({ name: 'from', label: t('from'), type: 'date', value: query.from })}
          ${field({ name: 'to', label: t('to'), type: 'date', value: query.to })}
          ${selectField({ name: 'mark', label: t('marks'), value: query.mark, options: marks })}
          ${amount('least', t('find.least'))} ${amount('most', t('find.most'))}
          ${selectField({ name: 'sort', label: t('sort'), value: query.sort, options: orders })}
        </div>
      </details>
    </form>
  </section>`;
}

const occurKinds = { must: 'good', should: 'plain', must_not: 'bad' } as const;

/** What the search box was taken for, so that a surprising result explains itself. */
function understoodView({ understood, clauses }: FoundRows, { language: { t } }: SignedIn): Html | undefined {
  if (understood?.length === 0) return undefined;
  const parts = understood
    ? understood.map(({ text, meaning }) => html`<li><strong>${text}</strong>: ${meaning}</li>`)
    : (clauses[0] ?? []).map(
        ({ occur, text }) =>
          html`<li>${badge(occurKinds[occur], t(`occur.${occur}`))} <code>${text}</code></li>`,
      );
  return html`<div class="understood">
    <span>${t(understood ? 'understood' : 'understood.language')}</span>
    <ul>
      ${parts}
    </ul>
  </div>`;
}

function pagesOf(found: FoundRows, query: Query, { base, language: { t } }: SignedIn): Html | undefined {
  const { newest, oldest, has_more: hasMore } = found;
  const isBack = query.newer !== undefined && query.newer !== '';
  const hasNewer = isBack ? hasMore : query.older !== undefined && query.older !== '';
  const hasOlder = isBack || hasMore;
  if (newest === undefined || oldest === undefined || (!hasNewer && !hasOlder)) return undefined;
  const link = (rel: 'prev' | 'next', change: Record<string, string>, label: string) =>
    html`<a class="button quiet" rel="${rel}" href="${base}${listAddress(query, change)}">${label}</a>`;
  return html`<nav class="pages" aria-label="${t('more')}">
    ${hasNewer ? link('prev', { newer: newest }, t('newer')) : html`<span></span>`}
    ${hasOlder && link('next', { older: oldest }, t('older'))}
  </nav>`;
}

function summaryOf(
  { rows, hits, is_complete: isComplete, has_more: hasMore, scanned }: FoundRows,
  { language }: SignedIn,
): string {
  const { t, plural, number } = language;
  if (scanned !== undefined && hasMore && rows.length < pageCount)
    return t('found.scanned', { found: number(rows.length), count: number(scanned) });
  if (!isComplete) return t(rows.length === 0 ? 'found.tooSlow' : 'found.some');
  if (hits !== undefined && hits > 0) return plural('found', hits);
  return t(rows.length === 0 ? 'found.none' : 'found.latest');
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

async function foundView(deps: Portal, found: FoundRows, query: Query, who: SignedIn): Promise<Html> {
  const { t } = who.language;
  const { base } = who;
  const canChoose = who.may('view.send_receipt') && found.rows.length > 0;
  const rows = receiptTable(
    { rows: found.rows, sent: await sentAmong(deps, who, found.rows), canChoose },
    who,
  );
  return html`<section class="card" aria-labelledby="found">
    <div class="listhead">
      <h2 id="found">${summaryOf(found, who)}</h2>
      <a class="button quiet" href="${base}${listAddress(query, {}, '/portal/receipts.csv')}"
        >${t('totals.csv')}</a
      >
    </div>
    ${understoodView(found, who)}
    ${
      canChoose
        ? postForm(
            `${base}/portal/receipts/send`,
            who.session.csrf,
            html`${rows}
              <p class="actions"><button class="quiet">${t('several.send')}</button></p>`,
          )
        : found.rows.length > 0 && rows
    }
    ${pagesOf(found, query, who)} ${saveForm(query, who)}
  </section>`;
}

export const portalHome = (deps: Portal): HandlerOf<'portalHome'> =>
  portalPage(deps, {
    title: 'menu.receipts',
    menuPath: receiptsPath,
    head: async ({ query }, who) =>
      html`${success(doneText(searchesDone, query.done, who.language))}
      ${finderOf(query, (await orUndefined(knownStores(deps, who))) ?? [], who)}
      ${await savedSearches(deps, who)}`,
    result: async ({ query }, who) => {
      const newer = query.newer !== '' ? query.newer : undefined;
      const beyond = newer ?? (query.older !== '' ? query.older : undefined);
      const direction = newer === undefined ? 'older' : 'newer';
      const found = await findRows(deps, who, query, { beyond, direction, count: pageCount });
      const isFirst =
        found.rows.length === 0 &&
        found.is_complete &&
        found.hits === undefined &&
        beyond === undefined &&
        sendingMark(query.mark) === undefined;
      return isFirst ? emptyView(deps, who) : foundView(deps, found, query, who);
    },
  });
