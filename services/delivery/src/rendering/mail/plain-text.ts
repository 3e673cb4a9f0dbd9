import { mapped, renderedAtOnce, type Steps } from '../in-steps';
import type { Line } from '../view/line';
import type { ItemView, ReceiptView } from '../view/view';

const columns = 42;

/** A line with the label at its start and the amount at its end. */
function row({ label, amount }: Line): string {
  const gap = columns - label.length - amount.length;
  return gap > 0 ? `${label}${' '.repeat(gap)}${amount}` : `${label}\n${amount.padStart(columns)}`;
}

const rule = '-'.repeat(columns);

/** An item as lines of text. */
export function itemText({ name, amounts, total, details, discounts, returned }: ItemView): string {
  return [
    row({ label: name, amount: total }),
    ...(amounts === null ? [] : [`  ${amounts}`]),
    ...details.map((detail) => `  ${detail}`),
    ...discounts.map(({ label, amount }) => row({ label: `  ${label}`, amount })),
    ...(returned === null ? [] : [`  ${returned}`]),
  ].join('\n');
}

/** A receipt as plain text. */
export function* plainTextInSteps(view: ReceiptView): Steps<string> {
  const { labels, brand } = view;
  const items = yield* mapped(view.items, itemText);
  const payments = view.payments.flatMap(({ details, ...line }) => [
    row(line),
    ...details.map((detail) => `  ${detail}`),
  ]);
  const parts = [
    [brand.name, ...brand.header, ...view.store.map(({ text }) => text)],
    [view.date, ...(view.isCopy ? [labels.copy] : []), ...(view.isIncomplete ? [labels.incomplete] : [])],
    view.hasMoreItems ? [...items, '…'] : items,
    [...view.sums.map(row), row(view.total), ...view.taxes.map(row)],
    payments,
    view.facts.map(({ label, value }) => `${label}: ${value}`),
    [...view.fiscal.texts, ...(view.fiscal.code === null ? [] : [view.fiscal.code])],
    [...brand.footer, ...brand.links.map(({ name, href }) => `${name}: ${href}`)],
  ];
  return `${parts
    .filter((part) => part.length > 0)
    .map((part) => part.join('\n'))
    .join(`\n${rule}\n`)}\n`;
}

/** A receipt as plain text, rendered without yielding to other work. */
export const plainTextOf = (view: ReceiptView): string => renderedAtOnce(plainTextInSteps(view));
