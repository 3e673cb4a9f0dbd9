import {
  receiptStoreContracts,
  type adminContracts,
  type TotalsGroup,
  type TotalsQuery,
  type TotalsRow,
} from '@receipts/contracts';
import type { Input } from '@receipts/kernel';
import { field, selectField } from '../pages/form-fields';
import { localTimeText, moneyFormat } from '../pages/formats';
import { html, type Html } from '../pages/html';
import { redirectTo, type PageReply } from '../pages/reply';
import { checkPermission, signedIn, type SignedIn } from './signed-in';
import type { Endpoint, Portal } from './open-portal';
import { portalPage } from './page';
import { totalsChart } from './totals-chart';

type Query = Input<(typeof adminContracts)['portalTotals']>['query'];

/** More bars would be too thin to compare. */
const barsMax = 40;
const groupLabels = { day: 'Day', store: 'Store', till: 'Till' } as const;

const groupOf = ({ by }: Query): keyof typeof groupLabels => by ?? 'day';

/** The query with its dates: today in the retailer's time zone, unless the form has others. */
function withDates(query: Query, { retailer }: SignedIn, now: Date): Query {
  const [today] = localTimeText(now.toISOString(), retailer.settings.timezone).split(' ');
  return { ...query, from: query.from || today, to: query.to || today };
}

/** Empty form fields are treated as absent. */
function totalsQuery({ from, to, store }: Query, groupBy: TotalsGroup[]): TotalsQuery {
  return {
    ...(from && { from }),
    ...(to && { to }),
    ...(store && { store_reference: [store] }),
    group_by: groupBy,
  };
}

function nameOf(row: TotalsRow, by: keyof typeof groupLabels): string {
  if (by === 'day') return row.day ?? '';
  if (by === 'store') return row.store_reference ?? '';
  return row.till_uuid ?? 'no till';
}

function csvAddress(query: Query, base: string): string {
  const fields = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  return `${base}/portal/totals.csv?${new URLSearchParams(fields as [string, string][]).toString()}`;
}

function formOf(query: Query, base: string): Html {
  const by = groupOf(query);
  const options = Object.entries(groupLabels).map(([value, label]) => ({ value, label }));
  return html`<section class="card" aria-labelledby="totals">
    <h1 id="totals">Totals</h1>
    <form method="get" action="${base}/portal/totals" aria-label="Totals">
      <div class="finder">
        ${field({ name: 'from', label: 'From', type: 'date', value: query.from })}
        ${field({ name: 'to', label: 'To', type: 'date', value: query.to })}
        ${field({ name: 'store', label: 'Store', value: query.store })}
        ${selectField({ name: 'by', label: 'By', value: by, options })}
      </div>
      <div class="actions">
        <button>Show</button>
        <a class="button quiet" href="${csvAddress(query, base)}">Download CSV</a>
      </div>
    </form>
  </section>`;
}

function summaryOf(row: TotalsRow, money: (amount: number) => string): Html {
  const lines = [
    ['Receipts', row.receipts],
    ['Net', row.net === null ? undefined : money(row.net)],
    ['Discounts', money(row.discounts)],
    ['Returns', `${row.returns.items} for ${money(row.returns.total)}`],
    ['Voided', `${row.voids.receipts} for ${money(row.voids.total)}`],
    ...row.taxes.map(({ name, rate, amount }) => [`Tax ${name} ${rate ?? ''}`, money(amount)] as const),
    ...row.payments.map(
      ({ method, count, amount }) => [`Paid by ${method} (${count})`, money(amount)] as const,
    ),
  ] as const;
  return html`<dl>
    ${lines.map(
      ([name, value]) =>
        value !== undefined &&
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}

function tableOf(
  rows: readonly TotalsRow[],
  by: keyof typeof groupLabels,
  money: (amount: number) => string,
) {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Figures">
    <table>
      <thead>
        <tr>
          <th scope="col">${groupLabels[by]}</th>
          <th scope="col" class="sum">Receipts</th>
          <th scope="col" class="sum">Items</th>
          <th scope="col" class="sum">Returns</th>
          <th scope="col" class="sum">Total</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              <th scope="row">${nameOf(row, by)}</th>
              <td class="sum">${row.receipts}</td>
              <td class="sum">${row.items}</td>
              <td class="sum">${money(row.returns.total)}</td>
              <td class="sum">${money(row.total)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** The totals in one currency. */
function cardOf(overall: TotalsRow, rows: readonly TotalsRow[], query: Query, who: SignedIn): Html {
  const by = groupOf(query);
  const { currency, total } = overall;
  const money = moneyFormat(who.retailer.settings.locale, currency);
  const own = rows.filter((row) => row.currency === currency);
  const bars = own.map((row) => ({ label: nameOf(row, by), value: row.total, text: money(row.total) }));
  const title = `Totals in ${currency} by ${groupLabels[by].toLowerCase()}`;
  return html`<section class="card" aria-labelledby="in-${currency}">
    <h2 id="in-${currency}">${money(total)}</h2>
    ${bars.length <= barsMax && totalsChart(title, bars)} ${summaryOf(overall, money)}
    ${tableOf(own, by, money)}
  </section>`;
}

async function resultOf({ ask }: Portal, who: SignedIn, query: Query): Promise<Html> {
  checkPermission(who, 'view.get_report');
  const by = groupOf(query);
  const find = async (groupBy: TotalsGroup[]) =>
    (await ask(receiptStoreContracts.getTotals, { query: totalsQuery(query, groupBy) }, who.call)).body
      .totals;
  const [overall, rows] = await Promise.all([find(['currency']), find([by])]);
  if (overall.length === 0) {
    const { from, to } = query;
    const days = from === to ? `on ${from}` : `from ${from} to ${to}`;
    return html`<p class="empty">There are no receipts ${days}.</p>`;
  }
  return html`${overall.map((row) => cardOf(row, rows, query, who))}`;
}

export const portalTotals = (deps: Portal): Endpoint<'portalTotals'> =>
  portalPage(deps, {
    title: 'Totals',
    place: '/portal/totals',
    form: ({ query }, who) => formOf(withDates(query, who, deps.now()), deps.base),
    result: ({ query }, who) => resultOf(deps, who, withDates(query, who, deps.now())),
  });

/** The figures on the page as a file. */
export function portalTotalsCsv(deps: Portal): Endpoint<'portalTotalsCsv'> {
  return async ({ query, headers }, call): Promise<PageReply> => {
    const who = await signedIn(deps, headers.cookie, call);
    if (!who) return redirectTo('/portal/sign-in');
    checkPermission(who, 'view.get_report');
    const input = { query: totalsQuery(query, [groupOf(query)]), headers: { accept: 'text/csv' as const } };
    const { body, meta } = await deps.ask(receiptStoreContracts.exportTotals, input, who.call);
    const { contentType, fileName } = meta;
    const disposition = `attachment; filename="${fileName}"`;
    return {
      body,
      meta: {
        contentType,
        status: 200,
        headers: { 'content-disposition': disposition, 'cache-control': 'no-store' },
      },
    };
  };
}
