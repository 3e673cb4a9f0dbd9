import type { PostedReceipt } from '@receipts/contracts';

const each = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));
const one = { name: 'Coffee', quantity: 1, total: 1 };
const tax = (n: number) => ({ name: `tax ${n}`, rate: n, amount: 1 });
const back = { localtime: '2024-05-18T10:00:00' };

/** Receipts that consist mostly of one list, each as large as a receipt may be if `size` is 1. */
export const largestReceipts = (size: number): Readonly<Record<string, Partial<PostedReceipt>>> => {
  const [wide, long] = [Math.floor(4_800 * size), Math.floor(6_400 * size)];
  return {
    'equal items': { items: each(wide, () => one) },
    'different items': { items: each(wide, (n) => ({ ...one, name: `Item ${n}` })) },
    'sold and returned items': {
      items: each(wide, (n) => (n % 2 === 0 ? one : { ...one, quantity: -1, total: -1, return: back })),
    },
    'different taxes': { items: [one], taxes: each(wide, tax) },
    'taxes of the receipt and of an item': {
      items: [{ ...one, taxes: each(wide / 2, tax) }],
      taxes: each(wide / 2, tax),
    },
    'items with different taxes': { items: each(wide / 2, (n) => ({ ...one, taxes: [tax(n)] })) },
    discounts: { items: [one], discounts: each(long, (n) => ({ name: `discount ${n}`, amount: -1 })) },
    payments: { items: [one], payments: each(long, (n) => ({ method: `method ${n}`, amount: 1 })) },
    'very small amounts': {
      items: each(wide, (n) => ({
        name: 'x',
        quantity: 5e-324,
        total: n % 2 === 0 ? 5e-324 : 9e15,
        unit_price: 1,
      })),
    },
    'names in many languages': {
      items: [
        Object.assign(
          {},
          one,
          Object.fromEntries(each(long, (n) => [`name:en_x_v${n}`, 'Coffee'])),
        ) as typeof one,
      ],
    },
  };
};
