import {
  dayAfter,
  localDate,
  paymentMethodName,
  receiptStoreContracts,
  type adminPages,
  type TotalsGroup,
  type TotalsQuery,
  type TotalsRow,
} from '@receipts/contracts';
import type { Input } from '@receipts/kernel';
import { field, filterForm, selectField } from '../pages/form-fields';
import { html, type Html } from '@receipts/html';
import type { Language } from '../pages/language';
import { fact, table } from '../pages/table';
import { checkPermission, type SignedIn } from './signed-in';
import { withDates } from './with-dates';
import type { HandlerOf, Portal } from './open-portal';
import { permittedPage, portalPage } from './page';
import { totalsChart } from './totals-chart';

type Query = Input<(typeof adminPages)['portalTotals']>['query'];

/** With more bars, each would be too thin to compare. */
const barsMax = 40;
const groups = ['day', 'store', 'till'] as const;
type Group = (typeof groups)[number];

const groupOf = ({ by }: Query): Group => by ?? 'day';

/** Empty form fields are treated as absent. */
function totalsQuery({ from, to, store }: Query, groupBy: TotalsGroup[]): TotalsQuery {
  return {
    ...(from && { from }),
    ...(to && { to }),
    ...(store && { store_reference: [store] }),
    group_by: groupBy,
  };
}

function nameOf(row: TotalsRow, by: Group, { t, day }: Language): string {
  if (by === 'day') return day(row.day ?? '');
  if (by === 'store') return row.store_reference ?? '';
  return row.till_uuid ?? t('noTill');
}

function csvAddress(query: Query, base: string): string {
  const fields = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  return `${base}/portal/totals.csv?${new URLSearchParams(fields as [string, string][]).toString()}`;
}

/** The same totals of one day. */
function dayAddress({ store, by }: Query, day: string, base: string): string {
  const query = { from: day, to: day, ...(store && { store }), ...(by && { by }) };
  return `${base}/portal/totals?${new URLSearchParams(query).toString()}`;
}

/** A day is often closed after midnight, so the day before today is one click away. */
function formOf(query: Query, now: Date, { base, retailer, language: { t } }: SignedIn): Html {
  const yesterday = dayAfter(localDate(now, retailer.settings.timezone), -1);
  const by = groupOf(query);
  const options = groups.map((value) => ({ value, label: t(value) }));
  return filterForm({
    id: 'totals',
    title: t('menu.totals'),
    action: `${base}/portal/totals`,
    fields: [
      field({ name: 'from', label: t('from'), type: 'date', value: query.from }),
      field({ name: 'to', label: t('to'), type: 'date', value: query.to }),
      field({ name: 'store', label: t('store'), value: query.store }),
      selectField({ name: 'by', label: t('totals.by'), value: by, options }),
    ],
    submit: t('show'),
    links: html`<a class="button quiet" href="${dayAddress(query, yesterday, base)}"
        >${t('totals.yesterday')}</a
      >
      <a class="button quiet" href="${csvAddress(query, base)}">${t('totals.csv')}</a>`,
  });
}

function summaryOf(row: TotalsRow, { t, number, money: moneyIn }: Language): Html {
  const money = moneyIn(row.currency);
  const counted = (count: number, total: number) =>
    t('totals.countFor', { count: number(count), amount: money(total) });
  const methodName = (method: string) => paymentMethodName(method, (kind) => t(`payment.${kind}`));
  const lines = [
    [t('menu.receipts'), number(row.receipts)],
    [t('totals.net'), row.net === null ? undefined : money(row.net)],
    [t('totals.discounts'), money(row.discounts)],
    [t('totals.returns'), counted(row.returns.items, row.returns.total)],
    [t('totals.voided'), counted(row.voids.receipts, row.voids.total)],
    ...row.taxes.map(
      ({ name, rate, amount }) =>
        [t('totals.tax', { name, rate: rate === null ? '' : number(rate) }), money(amount)] as const,
    ),
    ...row.payments.map(
      ({ method, currency, count, amount }) =>
        [
          t('totals.paidBy', { method: methodName(method), count: number(count) }),
          moneyIn(currency)(amount),
        ] as const,
    ),
  ] as const;
  return html`<dl>${lines.map(([name, value]) => fact(name, value))}</dl>`;
}

/** The totals in one currency. */
function cardOf(overall: TotalsRow, rows: readonly TotalsRow[], query: Query, { language }: SignedIn): Html {
  const by = groupOf(query);
  const { currency, total } = overall;
  const { t, number } = language;
  const money = language.money(currency);
  const own = rows.filter((row) => row.currency === currency);
  const bars = own.map((row) => ({
    label: nameOf(row, by, language),
    value: row.total,
    text: money(row.total),
  }));
  const title = t(`totals.chart.${by}`, { currency });
  const figures = ['menu.receipts', 'totals.items', 'totals.returns', 'totals.total'] as const;
  const columns = [t(by), ...figures.map((key) => ({ numbers: t(key) }))];
  const cells = own.map((row) => [
    nameOf(row, by, language),
    number(row.receipts),
    number(row.items),
    money(row.returns.total),
    money(row.total),
  ]);
  return html`<section class="card" aria-labelledby="in-${currency}">
    <h2 id="in-${currency}">${money(total)}</h2>
    ${bars.length <= barsMax && totalsChart(title, bars)} ${summaryOf(overall, language)}
    ${table(`in-${currency}`, columns, cells)}
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
    const { t, day } = who.language;
    const [from, to] = [day(query.from ?? ''), day(query.to ?? '')];
    const text = from === to ? t('totals.noneOn', { day: from }) : t('totals.noneFrom', { from, to });
    return html`<p class="empty">${text}</p>`;
  }
  return html`${overall.map((row) => cardOf(row, rows, query, who))}`;
}

export const portalTotals = (deps: Portal): HandlerOf<'portalTotals'> =>
  portalPage(deps, {
    title: 'menu.totals',
    menuPath: '/portal/totals',
    head: ({ query }, who) => formOf(withDates(query, who, deps.now()), deps.now(), who),
    result: ({ query }, who) => resultOf(deps, who, withDates(query, who, deps.now())),
  });

/** The figures on the page as a file. */
export const portalTotalsCsv = (deps: Portal): HandlerOf<'portalTotalsCsv'> =>
  permittedPage(deps, 'view.get_report', async (who, { query }) => {
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
  });
