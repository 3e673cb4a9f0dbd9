import { type TotalsGroup, csvTextCell, printCsv } from '@receipts/contracts';
import { isZero, printDecimal } from '@receipts/kernel';
import { localtimeOf } from './sale';
import type { PaymentKey } from './sums';
import { byText, groupColumns, netOf, sortedPayments, sortedTaxes, type TotalsRow } from './totals-rows';

const fixedColumns = [
  'currency',
  'receipts',
  'items',
  'total',
  'net',
  'discounts',
  'returns_items',
  'returns_total',
  'voids_receipts',
  'voids_total',
  'first_localtime',
  'last_localtime',
];

const localtime = (at: string | null) => (at === null ? '' : localtimeOf(at));

/** The amounts of a row's taxes and payments by column. */
function linesOf({ sums, groups }: TotalsRow): Map<string, string> {
  const paymentColumn = ([method, currency]: PaymentKey) =>
    currency === groups.currency ? `payment:${method}` : `payment:${method}:${currency}`;
  const sumNames = ['charges', 'tips'] as const;
  return new Map([
    ...sumNames.flatMap((name) => {
      const sum = sums.amount(name);
      return isZero(sum) ? [] : [[name, printDecimal(sum)] as const];
    }),
    ...sortedTaxes(sums).map(
      ([[name, rate], { amount }]) => [`tax:${name}:${rate ?? ''}`, printDecimal(amount)] as const,
    ),
    ...sortedPayments(sums).map(
      ([payment, { amount }]) => [paymentColumn(payment), printDecimal(amount)] as const,
    ),
  ]);
}

function fixedCells({ groups, sums, first, last }: TotalsRow): string[] {
  return [
    groups.currency ?? '',
    String(sums.count('receipts')),
    String(sums.count('items')),
    printDecimal(sums.amount('total')),
    netOf(sums) ?? '',
    printDecimal(sums.amount('discounts')),
    String(sums.count('returnItems')),
    printDecimal(sums.amount('returnTotal')),
    String(sums.count('voids')),
    printDecimal(sums.amount('voidTotal')),
    localtime(first),
    localtime(last),
  ];
}

export function printTotalsCsv(rows: readonly TotalsRow[], groupBy: readonly TotalsGroup[]): string {
  const grouped = groupBy.filter((name) => name !== 'currency');
  const lines = rows.map((row) => ({ row, lines: linesOf(row) }));
  const lineColumns = [...new Set(lines.flatMap((each) => [...each.lines.keys()]))].sort(byText);
  const header = [
    ...grouped.map((name) => groupColumns[name]),
    ...fixedColumns,
    ...lineColumns.map(csvTextCell),
  ];
  const printed = lines.map(({ row, lines: amounts }) => [
    ...grouped.map((name) => csvTextCell(row.groups[name])),
    ...fixedCells(row),
    ...lineColumns.map((column) => amounts.get(column) ?? ''),
  ]);
  return printCsv([header, ...printed]);
}
