import type { PostedReceipt } from '@receipts/contracts';
import { postedReceipt, retailerOf } from '../testing/samples';
import { buildReceipt } from './build-receipt';
import { failedChecks, withChecks } from './checks';

const item = (total: number, more: object = {}) => ({ name: 'Tea', quantity: 1, total, ...more });
const discount = (amount: number) => ({ name: 'Sale', amount });
const tax = (amount: number, rate: number | null = 20, name = 'vat') => ({ name, rate, amount });
const cash = (amount: number, more: object = {}) => ({ method: 'cash', amount, ...more });

const built = (posted: Partial<PostedReceipt>, currency = 'EUR') =>
  buildReceipt(
    {
      ...postedReceipt({}),
      payments: [],
      taxes: [],
      discounts: [],
      l10n: { currency },
      ...posted,
    } as PostedReceipt,
    {
      id: 'r',
      transactionId: 't',
      retailer: retailerOf('demo'),
      store: undefined,
      posDataIds: [],
      attachments: {},
    },
  );

const failing = (posted: Partial<PostedReceipt>, currency?: string) =>
  failedChecks(built(posted, currency)).map(
    ({ code, path, expected, actual }) => `${code} ${path} ${expected} ${actual}`,
  );

describe('a check passes', () => {
  it.each<[string, Partial<PostedReceipt>, string?]>([
    ['items against the total', { items: [item(0.1), item(0.2)], total: 0.3 }],
    ['items and discounts against the total', { items: [item(10)], discounts: [discount(-2)], total: 8 }],
    ['items against the subtotal', { items: [item(10)], discounts: [discount(-2)], subtotal: 10, total: 8 }],
    ['only the subtotal, if there is one', { items: [item(10)], subtotal: 10, total: 12 }],
    ['returned items with their signs', { items: [item(10), item(-4, { quantity: -1 })], total: 6 }],
    ['half a minor unit per item', { items: [item(1), item(1)], total: 2.01 }],
    ['half a yen per item', { items: [item(1), item(1)], total: 3 }, 'JPY'],
    ['payments less change', { items: [item(7.5)], total: 7.5, payments: [cash(10, { change: 2.5 })] }],
    [
      'change inside details',
      { items: [item(7.5)], total: 7.5, payments: [cash(10, { details: { change: 2.5 } })] },
    ],
    ['added rounding', { items: [item(10)], total: 10, payments: [cash(9.98, { rounding: 0.02 })] }],
    [
      'rounding of the payment',
      { items: [item(9.98)], total: 9.98, payments: [cash(10, { rounding: 0.02 })] },
    ],
    ['no payments', { items: [item(1)], total: 1, payments: [] }],
    [
      'payments in another currency',
      { items: [item(1)], total: 1, payments: [cash(9, { currency: 'USD' })] },
    ],
    [
      'taxes per name and rate',
      {
        items: [item(6, { taxes: [tax(1)] }), item(6, { taxes: [tax(1), tax(0.5, 5)] })],
        total: 12,
        taxes: [tax(2), tax(0.5, 5)],
      },
    ],
    ['taxes that the items do not have', { items: [item(12)], total: 12, taxes: [tax(2)] }],
    ['a net without taxes', { items: [item(12)], total: 12, net: 3 }],
    ['net and taxes', { items: [item(12)], total: 12, net: 10, taxes: [tax(2)] }],
    [
      'unit price and discounts',
      { items: [item(5, { quantity: 2, unit_price: 3, discounts: [discount(-1)] })], total: 5 },
    ],
    ['a weighed item', { items: [item(2.43, { quantity: 0.758, unit_price: 3.2 })], total: 2.43 }],
  ])('%s', (_name, posted, currency = 'EUR') => {
    expect(failing(posted, currency)).toEqual([]);
  });
});

describe('a check fails', () => {
  it.each<[string, Partial<PostedReceipt>, string[], string?]>([
    ['a total', { items: [item(10), item(5)], total: 16 }, ['items_total /total 15 16']],
    ['a single addend', { items: [item(1)], total: 1.01 }, ['items_total /total 1 1.01']],
    ['two decimals that CLDR omits', { items: [item(1)], total: 1.01 }, ['items_total /total 1 1.01'], 'HUF'],
    [
      'three decimals that CLDR omits',
      { items: [item(1)], total: 1.001 },
      ['items_total /total 1 1.001'],
      'IQD',
    ],
    ['four decimals', { items: [item(1)], total: 1.0001 }, ['items_total /total 1 1.0001'], 'CLF'],
    ['three decimals', { items: [item(1)], total: 1.001 }, ['items_total /total 1 1.001'], 'KWD'],
    [
      'a positive discount',
      { items: [item(10)], discounts: [discount(2)], total: 8 },
      ['items_total /total 12 8'],
    ],
    ['a subtotal', { items: [item(10)], subtotal: 11, total: 10 }, ['items_total /subtotal 10 11']],
    [
      'payments',
      { items: [item(7)], total: 7, payments: [cash(10, { change: 2 })] },
      ['payments_total /total 8 7'],
    ],
    [
      'a rounding that is too small',
      { items: [item(9)], total: 9, payments: [cash(10, { rounding: 0.02 })] },
      ['payments_total /total 10.02 9'],
    ],
    [
      'the taxes of one rate',
      { items: [item(6, { taxes: [tax(1), tax(3, 5)] })], total: 6, taxes: [tax(1), tax(2, 5)] },
      ['taxes_total /taxes/1/amount 3 2'],
    ],
    ['a net', { items: [item(12)], total: 12, net: 9, taxes: [tax(2)] }, ['net_total /net 10 9']],
    [
      'items, checked individually',
      { items: [item(5, { quantity: 2, unit_price: 3 }), item(1, { unit_price: 1 })], total: 6 },
      ['item_total /items/0/total 6 5'],
    ],
    [
      'an item whose digits are all printed',
      { items: [item(3, { quantity: 0.758, unit_price: 3.2 })], total: 3 },
      ['item_total /items/0/total 2.4256 3'],
    ],
  ])('%s', (_name, posted, expected, currency = 'EUR') => {
    expect(failing(posted, currency)).toEqual(expected);
  });
});

it('compares exact decimals, not doubles, with the tolerance', () => {
  // As a double, 1.005 is slightly less, and the sum of the tenths slightly more.
  expect(failing({ items: [item(1)], total: 1.005 })).toEqual([]);
  expect(failing({ items: [item(1)], total: 1.0050001 })).toEqual(['items_total /total 1 1.0050001']);
  expect(failing({ items: Array.from({ length: 10 }, () => item(0.1)), total: 1.05 })).toEqual([]);
});

it('adds the checks to the JSON of a receipt, and keeps the rest', () => {
  const receipt = built({ items: [item(10)], total: 11 });
  expect(JSON.parse(withChecks(JSON.stringify(receipt)))).toEqual({
    ...receipt,
    checks: [{ code: 'items_total', path: '/total', expected: 10, actual: 11 }],
  });
});

it('counts charges towards the total, and tips not', () => {
  const codes = (change: Partial<PostedReceipt>) =>
    failedChecks(
      built({ items: [item(10)], total: 12.5, payments: [cash(20, { tip: 2, change: 5.5 })], ...change }),
    ).map(({ code }) => code);
  expect(codes({ charges: [{ name: 'Service', amount: 2.5 }] })).toEqual([]);
  expect(codes({})).toEqual(['items_total']);
});

it('compares taxes with those of items and charges', () => {
  const charges = [{ name: 'Delivery', amount: 2, taxes: [tax(0.4)] }];
  const items = [item(10, { taxes: [tax(2)] })];
  expect(failedChecks(built({ items, charges, taxes: [tax(2.4)], total: 12 }))).toEqual([]);
});
