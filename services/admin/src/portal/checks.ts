import {
  checkCodes,
  receiptStoreContracts,
  type adminContracts,
  type FailingReceipt,
} from '@receipts/contracts';
import { groupBy, type Input } from '@receipts/kernel';
import { field, selectField } from '../pages/form-fields';
import { moneyFormat, timeText } from '../pages/formats';
import { html, type Html } from '../pages/html';
import { table } from '../pages/table';
import { checkLabels, checkSentence } from './check-sentences';
import type { Endpoint, Portal } from './open-portal';
import { portalPage } from './page';
import { searchQuery } from './search-query';
import { checkPermission, type SignedIn } from './signed-in';

type Query = Input<(typeof adminContracts)['portalChecks']>['query'];

/** More rows would make the page slow to read. The table of stores and tills links to the others. */
const rowsMax = 100;
const path = '/portal/checks';

const storeText = ({ store_name, store_reference }: FailingReceipt) =>
  store_name ?? `Store ${store_reference}`;

function formOf(query: Query, base: string): Html {
  const options = checkCodes.map((code) => ({ value: code, label: checkLabels[code] }));
  return html`<section class="card" aria-labelledby="checks">
    <h1 id="checks">Failing checks</h1>
    <form method="get" action="${base}${path}" aria-label="Failing checks">
      <div class="finder">
        ${field({ name: 'from', label: 'From', type: 'date', value: query.from })}
        ${field({ name: 'to', label: 'To', type: 'date', value: query.to })}
        ${field({ name: 'store', label: 'Store', value: query.store })}
        ${field({ name: 'till', label: 'Till', value: query.till })}
        ${selectField({ name: 'code', label: 'Check', value: query.code, options: [{ value: 'any', label: 'Any' }, ...options] })}
      </div>
      <div class="actions">
        <button>Show</button>
        <a class="button quiet" href="${base}${path}">All</a>
      </div>
    </form>
  </section>`;
}

/** The receipts of each till of each store, those with the most failures first. */
function groupsOf(receipts: readonly FailingReceipt[]): readonly (readonly FailingReceipt[])[] {
  const keyOf = ({ store_reference, till_uuid }: FailingReceipt) =>
    JSON.stringify([store_reference, till_uuid]);
  return [...groupBy(receipts, keyOf).values()].sort((a, b) => b.length - a.length);
}

function codeCounts(receipts: readonly FailingReceipt[]): Html {
  const counted = checkCodes.map((code) => ({
    code,
    count: receipts.filter(({ checks }) => checks.some((check) => check.code === code)).length,
  }));
  return html`${counted.filter(({ count }) => count > 0).map(({ code, count }) => html`<div>${checkLabels[code]}: ${count}</div>`)}`;
}

function groupsTable(receipts: readonly FailingReceipt[], query: Query, base: string): Html {
  const columns = [
    { head: 'Store' },
    { head: 'Till' },
    { head: 'Receipts', isNumber: true },
    { head: 'Checks' },
  ];
  const rows = groupsOf(receipts).flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { store_reference: store, till_uuid: till } = first;
    const kept = Object.entries({ ...query, store, till: till ?? '' }).filter(([, value]) => value);
    const address = new URLSearchParams(kept as [string, string][]).toString();
    return [
      [
        html`<a href="${base}${path}?${address}">${storeText(first)}</a>`,
        till ?? 'no till',
        String(group.length),
        codeCounts(group),
      ],
    ];
  });
  return table('groups', columns, rows);
}

function receiptsTable(receipts: readonly FailingReceipt[], who: SignedIn, base: string): Html {
  const columns = ['Receipt', 'Time', 'Store and till', 'What does not add up'].map((head) => ({ head }));
  const rows = receipts.map((receipt) => {
    const money = moneyFormat(who.retailer.settings.locale, receipt.currency);
    return [
      html`<a href="${base}/portal/receipts/${receipt.id}">${receipt.transaction_id}</a>`,
      timeText(receipt.localtime),
      html`${storeText(receipt)}<small>${receipt.till_uuid ?? 'no till'}</small>`,
      html`${receipt.checks.map((check) => html`<div>${checkSentence(check, money)}</div>`)}`,
    ];
  });
  return table('receipts', columns, rows);
}

async function resultOf({ ask, base }: Portal, who: SignedIn, query: Query): Promise<Html> {
  checkPermission(who, 'view.search_receipt');
  const { code, till, store, from, to } = query;
  const conditions = searchQuery({ store, from, to }, who.retailer.settings.timezone, 'identifier.exact');
  const body = { query: conditions ?? '', ...(code && code !== 'any' && { code }) };
  const answer = (await ask(receiptStoreContracts.listFailingReceipts, { body }, who.call)).body;
  const receipts = answer.receipts.filter(({ till_uuid }) => !till || till_uuid === till);
  if (receipts.length === 0) return html`<p class="card empty">No failing receipts here.</p>`;
  const newest = receipts.slice(0, rowsMax);
  return html`<section class="card" aria-labelledby="groups">
      <h2 id="groups">By store and till</h2>
      ${
        !answer.is_complete &&
        html`<p class="soft">
          These are the newest ${answer.receipts.length} failing receipts. Choose days or a store to see
          others.
        </p>`
      }
      ${groupsTable(receipts, query, base)}
    </section>
    <section class="card" aria-labelledby="receipts">
      <h2 id="receipts">
        ${newest.length < receipts.length ? `The newest ${rowsMax} receipts` : 'Receipts'}
      </h2>
      ${receiptsTable(newest, who, base)}
    </section>`;
}

/** Receipts that do not add up, by store and till. */
export const portalChecks = (deps: Portal): Endpoint<'portalChecks'> =>
  portalPage(deps, {
    title: 'Failing checks',
    place: path,
    form: ({ query }) => formOf(query, deps.base),
    result: ({ query }, who) => resultOf(deps, who, query),
  });
