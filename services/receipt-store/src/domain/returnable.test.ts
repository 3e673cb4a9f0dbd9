import {
  returnedReceiptExample as example,
  type ReturnedItem,
  type ReturnedReceipt,
} from '@receipts/contracts';
import { returnableItems } from './returnable';

const [, base] = example.items as [ReturnedItem, ReturnedItem];
const back = { localtime: '2024-05-18T10:00:00+02:00', reason: null, properties: {} };
const line = (name: string, quantity: number, total = 10, code?: string): ReturnedItem => ({
  ...base,
  name,
  quantity,
  total,
  properties: code === undefined ? {} : { product_code: code },
});
const sale = (items: ReturnedItem[], currency = 'EUR', more: Partial<ReturnedReceipt> = {}) => ({
  ...example,
  items,
  l10n: { ...example.l10n, currency },
  ...more,
});
const left = (items: ReturnedItem[], returns: ReturnedItem[] = []) =>
  returnableItems(sale(items), returns).map(
    ({ index, returned_quantity: came, returnable_quantity: rest }) => [index, came, rest],
  );

it.each<[string, ReturnedItem[], ReturnedItem[], number[][]]>([
  ['no returns', [line('A', 2)], [], [[0, 0, 2]]],
  ['a negative quantity', [line('A', 2)], [line('A', -1)], [[0, 1, 1]]],
  ['a marked item', [line('A', 2)], [{ ...line('A', 1), return: back }], [[0, 1, 1]]],
  ['more than was sold', [line('A', 2)], [line('A', -3)], [[0, 2, 0]]],
  ['tenths, exactly', [line('A', 0.3)], [line('A', -0.1)], [[0, 0.1, 0.2]]],
  ['another article', [line('A', 2)], [line('B', -1)], [[0, 0, 2]]],
  [
    'the code takes precedence over the name',
    [line('A', 1, 1, 'x'), line('B', 1, 1, 'y')],
    [line('A', -1, 1, 'y')],
    [
      [0, 0, 1],
      [1, 1, 0],
    ],
  ],
  [
    'the name if the code is empty',
    [line('A', 1, 1, ''), line('B', 1, 1, '')],
    [line('B', -1, 1, '')],
    [
      [0, 0, 1],
      [1, 1, 0],
    ],
  ],
  ['the name if no item has the code', [line('A', 1)], [line('A', -1, 1, 'y')], [[0, 1, 0]]],
  [
    'several lines, in order',
    [line('A', 1), line('A', 2)],
    [line('A', -2)],
    [
      [0, 1, 0],
      [1, 1, 1],
    ],
  ],
  [
    'negative lines of the sale itself, which are not listed',
    [line('A', 2), { ...line('A', -1), return: back }],
    [],
    [[0, 1, 1]],
  ],
  [
    'a return in the sale itself with a positive quantity',
    [line('A', 2), { ...line('A', 1), return: back }],
    [],
    [
      [0, 0, 2],
      [1, 1, 0],
    ],
  ],
])('%s', (_name, items, returns, expected) => {
  expect(left(items, returns)).toEqual(expected);
});

it('does not depend on the order of the returns', () => {
  const items = [line('A', 1, 1, 'x'), line('A', 1)];
  const returns = [line('A', -1), line('A', -1, 1, 'x')];
  expect(left(items, returns)).toEqual(left(items, returns.toReversed()));
  expect(left(items, returns)).toEqual([
    [0, 1, 0],
    [1, 1, 0],
  ]);
});

it.each([
  ['EUR', 10, 3, 1, 3.33, 6.67],
  ['EUR', 0.05, 2, 1, 0.02, 0.02],
  ['EUR', 0.15, 2, 1, 0.08, 0.08],
  ['JPY', 5, 2, 1, 2, 2],
  ['KWD', 1, 8, 1, 0.125, 0.875],
])('rounds half to even: %s %d for %d, %d returned', (currency, total, quantity, came, price, rest) => {
  const items = returnableItems(sale([line('A', quantity, total)], currency), [line('A', -came)]);
  expect(items).toMatchObject([{ unit_price: price, returnable_total: rest }]);
});

it('has nothing left to return for a voided sale, and does not divide by zero', () => {
  const voided = { timestamp: '2024-05-17T12:10:04+00:00', reason: null, transaction_id: null };
  expect(returnableItems(sale([line('A', 2)], 'EUR', { voided }), [])).toMatchObject([
    { returnable_quantity: 0, returnable_total: 0 },
  ]);
  expect(returnableItems(sale([line('A', 0, 1)]), [])).toMatchObject([
    { unit_price: null, returnable_total: 0 },
  ]);
});
