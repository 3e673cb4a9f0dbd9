import type { ReceiptView } from '../view/view';

/** The maximum number of characters of items and payments in one PDF: more would take longer than a reader waits. */
const charactersMax = 200_000;
/** Texts up to this length are never cut. */
const shortCharacters = 40;

const textsOf = ({ items, payments }: ReceiptView): string[] => [
  ...items.flatMap(({ name, details, discounts }) => [
    name,
    ...details,
    ...discounts.map(({ label }) => label),
  ]),
  ...payments.flatMap(({ label, details }) => [label, ...details]),
];

/** The same receipt. If the texts of its items and payments are too long in total, the long ones are cut. */
export function shortened(view: ReceiptView): ReceiptView {
  const texts = textsOf(view);
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  if (characters <= charactersMax) return view;
  const max = Math.max(shortCharacters, Math.floor(charactersMax / texts.length));
  const cut = (text: string) => (text.length > max ? `${text.slice(0, max)}…`.toWellFormed() : text);
  const withLabel = <L extends { readonly label: string }>(line: L): L => ({
    ...line,
    label: cut(line.label),
  });
  const items = view.items.map(({ name, details, discounts, ...rest }) => {
    return { ...rest, name: cut(name), details: details.map(cut), discounts: discounts.map(withLabel) };
  });
  const payments = view.payments.map((line) => ({ ...withLabel(line), details: line.details.map(cut) }));
  return { ...view, items, payments };
}
