import { checkCodes, receiptStoreContracts, type adminPages, type ReceiptRow } from '@receipts/contracts';
import { groupBy } from '@receipts/concurrency';
import type { Input } from '@receipts/kernel';
import { field, filterForm, problem, selectField } from '../../pages/form-fields';
import { html, type Html } from '@receipts/html';
import { table } from '../../pages/table';
import type { Language } from '../../pages/language';
import { checkSentence } from '../check-sentences';
import type { HandlerOf, Portal } from '../open-portal';
import { portalPage } from '../page';
import { filterQueries } from './filters';
import { checkPermission, type SignedIn } from '../signed-in';

type Query = Input<(typeof adminPages)['portalChecks']>['query'];

/** More rows would make the page slow to read. The table of stores and tills links to the others. */
const rowsMax = 100;
/** The newest receipts that are grouped by store and till. */
const failingMax = 500;
const path = '/portal/checks';

const storeText = ({ store_name, store_reference }: ReceiptRow, { t }: Language) =>
  store_name ?? t('storeNumber', { store: store_reference });

function formOf(query: Query, { base, language: { t } }: SignedIn): Html {
  const options = checkCodes.map((code) => ({ value: code, label: t(`check.${code}`) }));
  return filterForm({
    id: 'checks',
    title: t('menu.checks'),
    action: `${base}${path}`,
    fields: [
      field({ name: 'from', label: t('from'), type: 'date', value: query.from }),
      field({ name: 'to', label: t('to'), type: 'date', value: query.to }),
      field({ name: 'store', label: t('store'), value: query.store }),
      field({ name: 'till', label: t('till'), value: query.till }),
      selectField({
        name: 'code',
        label: t('check'),
        value: query.code,
        options: [{ value: 'any', label: t('any') }, ...options],
      }),
    ],
    submit: t('show'),
    links: html`<a class="button quiet" href="${base}${path}">${t('all')}</a>`,
  });
}

/** The receipts grouped by store and till, the largest group first. */
function groupsOf(receipts: readonly ReceiptRow[]): readonly (readonly ReceiptRow[])[] {
  const keyOf = ({ store_reference, till_uuid }: ReceiptRow) => JSON.stringify([store_reference, till_uuid]);
  return [...groupBy(receipts, keyOf).values()].sort((a, b) => b.length - a.length);
}

function codeCounts(receipts: readonly ReceiptRow[], { t, number }: Language): Html {
  const counted = checkCodes.map((code) => ({
    code,
    count: receipts.filter(({ checks }) => checks.some((check) => check.code === code)).length,
  }));
  return html`${counted.filter(({ count }) => count > 0).map(({ code, count }) => html`<div>${t(`check.${code}`)}: ${number(count)}</div>`)}`;
}

function groupsTable(receipts: readonly ReceiptRow[], query: Query, { base, language }: SignedIn): Html {
  const { t, number } = language;
  const columns = [t('store'), t('till'), { numbers: t('menu.receipts') }, t('checks')];
  const rows = groupsOf(receipts).flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { store_reference: store, till_uuid: till } = first;
    const kept = Object.entries({ ...query, store, till: till ?? '' }).filter(([, value]) => value);
    const address = new URLSearchParams(kept as [string, string][]).toString();
    return [
      [
        html`<a href="${base}${path}?${address}">${storeText(first, language)}</a>`,
        till ?? t('noTill'),
        number(group.length),
        codeCounts(group, language),
      ],
    ];
  });
  return table('groups', columns, rows);
}

function receiptsTable(receipts: readonly ReceiptRow[], { base, language }: SignedIn): Html {
  const { t, localTime } = language;
  const columns = [t('receipt'), t('time'), t('checks.storeTill'), t('checks.what')];
  const rows = receipts.map((receipt) => [
    html`<a href="${base}/portal/receipts/${receipt.id}">${receipt.transaction_id}</a>`,
    localTime(receipt.localtime),
    html`${storeText(receipt, language)}<small>${receipt.till_uuid ?? t('noTill')}</small>`,
    html`${receipt.checks.map((check) => html`<div>${checkSentence(check, receipt.currency, language)}</div>`)}`,
  ]);
  return table('receipts', columns, rows);
}

async function resultOf({ ask }: Portal, who: SignedIn, query: Query): Promise<Html> {
  const { language } = who;
  const { t, number } = language;
  checkPermission(who, 'view.search_receipt');
  const { code, till, store, from, to } = query;
  const queries = [
    `+checks:${code && code !== 'any' ? code : '*'}`,
    ...filterQueries({ store, from, to }, who),
  ];
  const body = { queries, sort: 'arrived' as const, direction: 'older' as const, count: failingMax };
  const answer = (await ask(receiptStoreContracts.listReceiptRows, { body }, who.call)).body;
  const isComplete = answer.is_complete && !answer.has_more;
  const receipts = answer.rows.filter(({ till_uuid }) => !till || till_uuid === till);
  if (answer.rows.length === 0 && !isComplete) return html`${problem(t('checks.notAll'))}`;
  if (receipts.length === 0) return html`<p class="card empty">${t('checks.none')}</p>`;
  const newest = receipts.slice(0, rowsMax);
  return html`<section class="card" aria-labelledby="groups">
      <h2 id="groups">${t('checks.byTill')}</h2>
      ${
        !isComplete &&
        html`<p class="soft">${t('checks.newestOnly', { count: number(answer.rows.length) })}</p>`
      }
      ${groupsTable(receipts, query, who)}
    </section>
    <section class="card" aria-labelledby="receipts">
      <h2 id="receipts">
        ${newest.length < receipts.length ? t('checks.newest', { count: rowsMax }) : t('menu.receipts')}
      </h2>
      ${receiptsTable(newest, who)}
    </section>`;
}

/** Receipts that do not add up, by store and till. */
export const portalChecks = (deps: Portal): HandlerOf<'portalChecks'> =>
  portalPage(deps, {
    title: 'menu.checks',
    menuPath: path,
    head: ({ query }, who) => formOf(query, who),
    result: ({ query }, who) => resultOf(deps, who, query),
  });
