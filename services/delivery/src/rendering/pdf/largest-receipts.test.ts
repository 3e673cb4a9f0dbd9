import { defaultRetailerSettings, type ReturnedReceipt } from '@receipts/contracts';
import { workGrowth } from '@receipts/testing';
import { fullReceipt } from '../../testing/rendered-samples';
import { renderedAtOnce } from '../in-steps';
import { mailOf } from '../mail/mail';
import { pageInSteps } from '../page/page';
import { viewOf } from '../view/view';

const [item] = fullReceipt().items as [ReturnedReceipt['items'][number]];
const each = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));
const tax = (n: number) => ({ name: `tax ${n}`, rate: n, amount: 1, code: null, properties: {} });
const discount = (n: number) => ({
  name: `discount ${n}`,
  amount: -1,
  quantity: null,
  percentage: null,
  properties: {},
});

/** Receipts that consist mostly of one list. A receipt may have 20,000 values in all. */
const shapes: Readonly<Record<string, (count: number) => Partial<ReturnedReceipt>>> = {
  items: (count) => ({ items: each(count, (n) => ({ ...item, name: `Item ${n}` })) }),
  'items with different taxes': (count) => ({
    items: each(count / 2, (n) => ({ ...item, taxes: [tax(n)] })),
    taxes: [],
  }),
  taxes: (count) => ({ taxes: each(count, tax) }),
  discounts: (count) => ({ discounts: each(count, discount) }),
  payments: (count) => ({
    payments: each(count, (n) => ({ method: `method ${n}`, amount: 1, currency: null, tip: null })),
  }),
  'names in different languages': (count) => ({
    items: [Object.assign({}, item, Object.fromEntries(each(count, (n) => [`name:en_x_v${n}`, 'Coffee'])))],
  }),
};

const acceptLanguage = each(1_000, (n) => `de-x-v${n}`).join(',');

/** Work that grows with the square of the size grows by 64. */
const growthMax = 24;

it.each(Object.keys(shapes))('renders %s in proportion to their number', (shape) => {
  const [small, large] = [600, 4_800].map((count) => fullReceipt(shapes[shape]?.(count)));
  const growth = workGrowth(small as ReturnedReceipt, large as ReturnedReceipt, (receipt) => {
    const view = viewOf(receipt, defaultRetailerSettings, { acceptLanguage });
    renderedAtOnce(pageInSteps(view, receipt));
    mailOf(view, 'https://receipts.example/r/1');
  });
  expect(growth).toBeLessThan(growthMax);
});
