import type { CheckCode, FailingReceipt } from '@receipts/contracts';

type Check = FailingReceipt['checks'][number];

/** The checks in words. */
export const checkLabels: Readonly<Record<CheckCode, string>> = {
  items_total: 'Items and total',
  payments_total: 'Payments and total',
  taxes_total: 'Taxes of items and receipt',
  net_total: 'Net, taxes and total',
  item_total: 'Price and total of an item',
};

const sentences: Readonly<Record<CheckCode, (path: string, expected: string, actual: string) => string>> = {
  items_total: (path, expected, actual) =>
    path === '/subtotal'
      ? `The items add up to ${expected}, the subtotal is ${actual}.`
      : `Items and discounts add up to ${expected}, the total is ${actual}.`,
  payments_total: (_, expected, actual) => `The payments add up to ${expected}, the total is ${actual}.`,
  taxes_total: (_, expected, actual) =>
    `The taxes of the items add up to ${expected}, the receipt has ${actual}.`,
  net_total: (_, expected, actual) => `The total less taxes is ${expected}, the net total is ${actual}.`,
  item_total: (path, expected, actual) => {
    const item = Number(path.split('/')[2]) + 1;
    return `Quantity and price of item ${item} give ${expected}, its total is ${actual}.`;
  },
};

/** Describes what does not add up. */
export function checkSentence(
  { code, path, expected, actual }: Check,
  money: (amount: number) => string,
): string {
  return sentences[code](path, money(expected), money(actual));
}
