import type { TotalsGroup } from '@receipts/contracts';
import type { BucketSums } from './bucket-sums';
import { printDecimal } from '@receipts/kernel';
import { localtimeOf } from './sale';
import { Sums, type LineSum, type PaymentKey, type TaxKey } from './sums';

type GroupValues = Readonly<Record<TotalsGroup, string | null>>;

/** The sums of one group. */
export interface TotalsRow {
  readonly groups: GroupValues;
  readonly sums: Sums;
  readonly first: string | null;
  readonly last: string | null;
}

const groupsOf = ({ bucket: { day, store, till, currency } }: BucketSums): GroupValues => ({
  day,
  store,
  till,
  currency,
});

/** Sorts strings by their character codes, with null last. */
export function byText(a: string | null, b: string | null): number {
  if (a === b) return 0;
  if (a === null) return 1;
  return b !== null && a > b ? 1 : -1;
}

function earlier(a: string | null, b: string | null): string | null {
  return a === null || (b !== null && b < a) ? b : a;
}

function later(a: string | null, b: string | null): string | null {
  return a === null || (b !== null && b > a) ? b : a;
}

/**
 * Adds up buckets by group and by currency, and sorts the groups.
 * @param groupBy the groups in the order in which the rows are sorted
 */
export function totalsRows(buckets: readonly BucketSums[], groupBy: readonly TotalsGroup[]): TotalsRow[] {
  const names = [...new Set([...groupBy, 'currency' as const])];
  const rows = new Map<string, { -readonly [K in keyof TotalsRow]: TotalsRow[K] }>();
  for (const bucket of buckets) {
    if (bucket.sums.isEmpty) continue;
    const groups = groupsOf(bucket);
    const key = JSON.stringify(names.map((name) => groups[name]));
    const row = rows.get(key) ?? { groups, sums: new Sums(), first: null, last: null };
    row.sums.add(bucket.sums);
    row.first = earlier(row.first, bucket.first);
    row.last = later(row.last, bucket.last);
    rows.set(key, row);
  }
  return [...rows.values()].sort((a, b) => {
    for (const name of names) {
      const order = byText(a.groups[name], b.groups[name]);
      if (order !== 0) return order;
    }
    return 0;
  });
}

const rateText = (rate: number | null) => (rate === null ? null : String(rate));

export function sortedTaxes({ taxes }: Sums): (readonly [TaxKey, LineSum])[] {
  return taxes.entries().sort(([a], [b]) => byText(a[0], b[0]) || byText(rateText(a[1]), rateText(b[1])));
}

export function sortedPayments({ payments }: Sums): (readonly [PaymentKey, LineSum])[] {
  return payments.entries().sort(([a], [b]) => byText(a[0], b[0]) || byText(a[1], b[1]));
}

export const netOf = (sums: Sums): string | null =>
  sums.count('nets') === 0 ? null : printDecimal(sums.amount('net'));

/** The names of the groups in responses. */
export const groupColumns: Readonly<Record<TotalsGroup, string>> = {
  day: 'day',
  store: 'store_reference',
  till: 'till_uuid',
  currency: 'currency',
};

const localtime = (at: string | null) => JSON.stringify(at === null ? null : localtimeOf(at));

/** The JSON of a row. It is serialized by hand because JavaScript numbers have too few digits. */
export function printRow({ groups, sums, first, last }: TotalsRow, groupBy: readonly TotalsGroup[]): string {
  const grouped = groupBy.filter((name) => name !== 'currency');
  const amount = (name: Parameters<Sums['amount']>[0]) => printDecimal(sums.amount(name));
  const taxes = sortedTaxes(sums).map(
    ([[name, rate], tax]) =>
      `{"name":${JSON.stringify(name)},"rate":${JSON.stringify(rate)},"amount":${printDecimal(tax.amount)}}`,
  );
  const payments = sortedPayments(sums).map(
    ([[method, currency], paid]) =>
      `{"method":${JSON.stringify(method)},"currency":${JSON.stringify(currency)},"count":${paid.count},"amount":${printDecimal(paid.amount)}}`,
  );
  const members = [
    ...grouped.map((name) => `"${groupColumns[name]}":${JSON.stringify(groups[name])}`),
    `"currency":${JSON.stringify(groups.currency)}`,
    `"receipts":${sums.count('receipts')}`,
    `"items":${sums.count('items')}`,
    `"total":${amount('total')}`,
    `"net":${netOf(sums) ?? 'null'}`,
    `"discounts":${amount('discounts')}`,
    `"charges":${amount('charges')}`,
    `"tips":${amount('tips')}`,
    `"returns":{"items":${sums.count('returnItems')},"total":${amount('returnTotal')}}`,
    `"voids":{"receipts":${sums.count('voids')},"total":${amount('voidTotal')}}`,
    `"taxes":[${taxes.join(',')}]`,
    `"payments":[${payments.join(',')}]`,
    `"first_localtime":${localtime(first)}`,
    `"last_localtime":${localtime(last)}`,
  ];
  return `{${members.join(',')}}`;
}
