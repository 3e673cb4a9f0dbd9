import { aReceipt } from './harness/receipts';
import type { TestRetailer } from './harness/client';
import { anonymous, aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;

beforeAll(async () => {
  retailer = await aRetailer({ response_links: true });
});

const each = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));
const item = { name: 'Coffee', quantity: 1, total: 1 };

/** All other requests to a service wait for work that does not yield, so each must be answered before its time limit. */
it.each<[string, { readonly items?: readonly (typeof item)[] } & Record<string, unknown>]>([
  ['items', { items: each(4_000, () => item) }],
  ['taxes', { taxes: each(4_800, (n) => ({ name: `tax_${n % 7}`, rate: n, amount: 1 })) }],
  ['payments', { payments: each(4_800, (n) => ({ method: `method ${n}`, amount: 1 })) }],
])('a receipt with as many %s as possible is served by every endpoint', async (_what, lists) => {
  const { api } = retailer;
  const sale = await api.post('/receipts', aReceipt(lists));
  expect(sale.status).toBe(201);
  const { id } = sale.body;
  const items = (lists.items ?? [item]).map((one) => ({ ...one, quantity: -1, total: -1 }));
  const related = [{ type: 'return', id }];
  expect((await api.post('/receipts', aReceipt({ ...lists, items, related }))).status).toBe(201);
  const { pathname } = new URL(sale.body._links.webview.href);
  const anybody = await anonymous();
  const answers = await Promise.all([
    api.get(`/receipts/${id}`, { checks: 'true' }),
    api.get(`/receipts/${id}/returnable`),
    api.get(`/receipts/${id}/proof`),
    api.get('/receipts/_search', { query: 'items.name:coffee', explain: 'true' }),
    api.get('/reports/totals', { from: '2026-01-01', to: '2026-12-31' }),
    anybody.get(pathname, undefined, { accept: 'text/html' }),
    anybody.get(new URL(sale.body._links.pdf.href).pathname),
  ]);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
});
