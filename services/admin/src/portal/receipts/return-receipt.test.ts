import type { ReturnableItem, ReturnedReceipt } from '@receipts/contracts';
import { returnReceipt, type ChosenReturn } from './return-receipt';

const now = '2026-03-15T10:00:00+00:00';

const line = (name: string, quantity: number, total: number, taxes: object[] = []) => ({
  name,
  quantity,
  total,
  taxes,
  unit: null,
  gtin: null,
  lot: null,
  serial: null,
  properties: { product_code: `P-${name}`, details: 'not copied' },
});

const sale = {
  id: '6a1f3c2b9d4e5f60718293a4',
  transaction_id: 'T-1',
  store_reference: '7',
  till_uuid: null,
  identifier: 'jane',
  l10n: { locale: 'en_GB', translation_locale: null, timezone: 'Europe/Paris', currency: 'EUR' },
  items: [
    line('Shirt', 3, 10, [{ name: 'vat', rate: 20, amount: 1.67 }]),
    line('Apples', 0.3, 0.1, [{ name: 'vat', rate: 5, amount: 0.01 }]),
  ],
  taxes: [{ name: 'vat', rate: 20, amount: 1.67 }],
} as unknown as ReturnedReceipt;

const left = (index: number, quantity: number, total: number) =>
  ({ index, returnable_quantity: quantity, returnable_total: total }) as ReturnableItem;

const posted = (
  quantities: [number, number][],
  returnable = [left(0, 3, 10), left(1, 0.3, 0.1)],
  change: Partial<ChosenReturn> = {},
) => {
  const chosen = {
    transactionId: 'R-1',
    method: 'card',
    reason: '',
    quantities: new Map(quantities),
    ...change,
  };
  return returnReceipt(sale, returnable, chosen, now);
};

it('returns a part of an item for its part of the price and taxes, rounded to cents', () => {
  expect(posted([[0, 2]])).toMatchObject({
    transaction_id: 'R-1',
    localtime: now,
    store_reference: '7',
    identifier: 'jane',
    total: -6.67,
    related: [{ type: 'return', id: sale.id }],
    items: [
      {
        name: 'Shirt',
        quantity: -2,
        total: -6.67,
        return: { localtime: now },
        taxes: [{ name: 'vat', rate: 20, amount: -1.11 }],
        properties: { product_code: 'P-Shirt' },
      },
    ],
    taxes: [{ name: 'vat', rate: 20, amount: -1.11 }],
    payments: [{ method: 'card', amount: -6.67 }],
  });
});

it('returns the rest for what is left, so that several returns add up to the sale', () => {
  const rest = posted([[0, 1]], [left(0, 1, 3.33)]);
  expect([posted([[0, 2]]).total + rest.total, rest.total]).toEqual([-10, -3.33]);
});

it('adds exactly, and gives the reason', () => {
  const both = posted(
    [
      [0, 3],
      [1, 0.3],
    ],
    undefined,
    { reason: 'too small' },
  );
  expect(both.total).toBe(-10.1);
  expect(both.items.map((item) => item.return)).toEqual([
    { localtime: now, reason: 'too small' },
    { localtime: now, reason: 'too small' },
  ]);
});

it('leaves out what is not chosen', () => {
  expect(
    posted([
      [0, 0],
      [1, 0.1],
    ]).items.map(({ name }) => name),
  ).toEqual(['Apples']);
});
