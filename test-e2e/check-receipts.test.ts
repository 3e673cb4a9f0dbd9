import { until } from '@receipts/testing';
import type { TestRetailer } from './harness/client';
import { aReceipt } from './harness/receipts';
import { aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;
beforeAll(async () => {
  retailer = await aRetailer({ checks: { event: true } });
});

const items = [{ name: 'Tea', quantity: 1, total: 10 }];
const good = { items, total: 10, payments: [{ method: 'cash', amount: 20, change: 10 }] };
const bad = { items, total: 11, payments: [{ method: 'cash', amount: 20, change: 10 }] };

const posted = async (overrides: object) => {
  const answer = await retailer.api.post('/receipts', aReceipt(overrides as Record<string, unknown>));
  expect(answer.status).toBe(201);
  return answer.body.id as string;
};
const checksOf = async (id: string) => {
  const { status, body } = await retailer.api.get(`/receipts/${id}`, { checks: 'true' });
  expect(status).toBe(200);
  return body.checks as unknown;
};
const found = async (query: string) => {
  const { body } = await retailer.api.get('/receipts/_search', { query });
  return (body.receipts as { id: string }[]).map(({ id }) => id);
};

it('lists receipts that do not add up, but only on request', async () => {
  const [right, wrong] = [await posted(good), await posted(bad)];
  expect(await checksOf(right)).toEqual([]);
  expect(await checksOf(wrong)).toEqual([
    { code: 'items_total', path: '/total', expected: 10, actual: 11 },
    { code: 'payments_total', path: '/total', expected: 10, actual: 11 },
  ]);
  for (const query of [{}, { checks: 'false' }]) {
    expect((await retailer.api.get(`/receipts/${wrong}`, query)).body).not.toHaveProperty('checks');
  }
  const refused = await retailer.api.get(`/receipts/${wrong}`, { checks: 'maybe' });
  expect([refused.status, refused.body.code]).toEqual([400, 'invalid_parameter']);
});

it.each<[string, object, object]>([
  [
    'a subtotal',
    { ...good, subtotal: 11, discounts: [{ name: 'Sale', amount: -1 }] },
    { code: 'items_total', path: '/subtotal', expected: 10, actual: 11 },
  ],
  [
    'payments with rounding',
    { ...good, payments: [{ method: 'cash', amount: 9.9, rounding: 0.02 }] },
    { code: 'payments_total', path: '/total', expected: 9.92, actual: 10 },
  ],
  [
    'taxes',
    {
      ...good,
      items: [{ ...items[0], taxes: [{ name: 'vat', rate: 20, amount: 1.67 }] }],
      taxes: [{ name: 'vat', rate: 20, amount: 1.6 }],
    },
    { code: 'taxes_total', path: '/taxes/0/amount', expected: 1.67, actual: 1.6 },
  ],
  [
    'a net amount',
    { ...good, net: 8, taxes: [{ name: 'vat', rate: 20, amount: 1.67 }] },
    { code: 'net_total', path: '/net', expected: 8.33, actual: 8 },
  ],
  [
    'an item',
    { ...good, items: [{ ...items[0], unit_price: 9.5 }] },
    { code: 'item_total', path: '/items/0/total', expected: 9.5, actual: 10 },
  ],
])('checks %s, and finds the receipt by the code', async (_, receipt, check) => {
  const id = await posted(receipt);
  expect(await checksOf(id)).toEqual([check]);
  expect(await found(`checks:${(check as { code: string }).code}`)).toContain(id);
});

it.each([
  ['EUR', 10.005, []],
  ['EUR', 10.006, ['items_total']],
  ['JPY', 10.5, []],
  ['JPY', 10.6, ['items_total']],
  ['KWD', 10.001, ['items_total']],
])('tolerates half a minor unit of %s for each addend: %d for 10', async (currency, total, codes) => {
  const id = await posted({ items, total, payments: [], l10n: { currency } });
  const checks = (await checksOf(id)) as { code: string }[];
  expect(checks.map(({ code }) => code)).toEqual(codes);
});

it('finds failing receipts by code, and any failing receipt', async () => {
  const [right, wrong] = [await posted(good), await posted(bad)];
  for (const query of ['checks:items_total', 'checks:payments_total', 'checks:*']) {
    expect(await found(query)).toContain(wrong);
    expect(await found(query)).not.toContain(right);
  }
  expect(await found('checks:net_total')).not.toContain(wrong);
  expect(await found('-checks:*')).toContain(right);
  await retailer.api.patch(`/receipts/${wrong}`, [{ op: 'add', path: '/identifier', value: 'jane' }]);
  expect(await found('+checks:* +identifier:jane')).toEqual([wrong]);
});

it('checks the receipts of a batch', async () => {
  const receipts = [good, bad].map((one) => aReceipt(one));
  const { body } = await retailer.api.post('/receipts/_batch', { receipts });
  const [right, wrong] = (body.results as { id: string }[]).map(({ id }) => id);
  expect(await found('checks:items_total')).toContain(wrong);
  expect(await found('checks:*')).not.toContain(right);
});

it('publishes an event for a failing receipt if the retailer has enabled it', async () => {
  const quiet = await aRetailer();
  const start = async (of: TestRetailer) =>
    (await of.api.get('/events', { types: 'receipt.*' })).body._links.next.href as string;
  const [from, quietFrom] = [await start(retailer), await start(quiet)];
  const [right, wrong] = [await posted(good), await posted(bad)];
  await quiet.api.post('/receipts', aReceipt(bad as Record<string, unknown>));
  const seen: { type: string; subject: string; data: unknown }[] = [];
  let next = from;
  await until(
    'the event',
    async () => {
      const { body } = await retailer.api.get(next);
      seen.push(...body.events);
      next = body._links.next.href;
      return seen.some(({ type }) => type === 'receipt.check_failed');
    },
    30_000,
  );
  const failed = seen.filter(({ type }) => type === 'receipt.check_failed');
  expect(failed).toMatchObject([
    { subject: wrong, data: { id: wrong, total: 11, codes: ['items_total', 'payments_total'] } },
  ]);
  expect(failed.map(({ subject }) => subject)).not.toContain(right);
  const { body } = await quiet.api.get(quietFrom, { wait: 15 });
  expect((body.events as { type: string }[]).map(({ type }) => type)).toEqual(['receipt.created']);
});
