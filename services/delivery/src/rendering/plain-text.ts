import type { Line, ReceiptView } from './view';

const columns = 42;

/** The label at the start, the amount at the end of a line. */
function row({ label, amount }: Line): string {
  const gap = columns - label.length - amount.length;
  return gap > 0 ? `${label}${' '.repeat(gap)}${amount}` : `${label}\n${amount.padStart(columns)}`;
}

const rule = '-'.repeat(columns);

/** A receipt as plain text, for mail programs without HTML. */
export function plainTextOf(view: ReceiptView): string {
  const { labels, brand } = view;
  const items = view.items.flatMap((item) => [
    row({ label: item.name, amount: item.total }),
    ...(item.unitPrice === null && item.quantity === '1'
      ? []
      : [`  ${item.quantity}${item.unitPrice === null ? '' : ` x ${item.unitPrice}`}`]),
    ...item.details.map((detail) => `  ${detail}`),
    ...item.discounts.map(({ label, amount }) => row({ label: `  ${label}`, amount })),
    ...(item.returned === null ? [] : [`  ${item.returned}`]),
  ]);
  const payments = view.payments.flatMap(({ details, ...line }) => [
    row(line),
    ...details.map((detail) => `  ${detail}`),
  ]);
  const parts = [
    [brand.name, ...brand.header, ...view.store],
    [view.date, ...(view.isCopy ? [labels.copy] : []), ...(view.isIncomplete ? [labels.incomplete] : [])],
    items,
    [...view.sums.map(row), row(view.total), ...view.taxes.map(row)],
    payments,
    view.facts.map(({ label, value }) => `${label}: ${value}`),
    [...brand.footer, ...brand.links.map(({ name, href }) => `${name}: ${href}`)],
  ];
  return `${parts
    .filter((part) => part.length > 0)
    .map((part) => part.join('\n'))
    .join(`\n${rule}\n`)}\n`;
}
