import { until } from '@receipts/testing';
import type { Client, TestRetailer } from './harness/client';
import { aReceipt } from './harness/receipts';
import { anonymous, aRetailer, operator } from './harness/shared-platform';

let retailer: TestRetailer;

beforeAll(async () => {
  retailer = await aRetailer({ timezone: 'Europe/Paris' });
});

const day = '2026-03-14';
const range = { from: day, to: day };

const reported = (query: Record<string, string> = {}, by: Client = retailer.api) =>
  by.get('/reports/totals', { ...range, ...query });

async function post(overrides: Record<string, unknown> = {}, by: Client = retailer.api): Promise<string> {
  const answer = await by.post('/receipts', aReceipt(overrides));
  expect(answer.status).toBe(201);
  return answer.body.id as string;
}

describe('the totals of a day', () => {
  it('are exact as soon as the receipts are accepted', async () => {
    const { api } = await aRetailer({ timezone: 'Europe/Paris' });
    await post({ total: 0.1, net: 0.1, localtime: `${day}T09:00:00` }, api);
    await post({ total: 0.2, localtime: `${day}T18:00:00` }, api);
    const { status, body } = await reported({}, api);
    expect(status).toBe(200);
    expect(body).toEqual({
      totals: [
        {
          day,
          store_reference: '1',
          currency: 'EUR',
          receipts: 2,
          items: 4,
          total: 0.3,
          net: 0.1,
          discounts: 0,
          charges: 0,
          tips: 0,
          returns: { items: 0, total: 0 },
          voids: { receipts: 0, total: 0 },
          taxes: [],
          payments: [{ method: 'cash', currency: 'EUR', count: 2, amount: 50.96 }],
          first_localtime: `${day}T09:00:00+01:00`,
          last_localtime: `${day}T18:00:00+01:00`,
        },
      ],
      as_of: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\+00:00$/) as string,
    });
  });

  it('include every later change immediately', async () => {
    const { api } = await aRetailer();
    const row = async () => (await reported({ group_by: 'currency' }, api)).body.totals[0];
    const id = await post({ total: 10 }, api);
    await post({ total: 10, transaction_id: 'sale' }, api);
    await post({ total: 10, transaction_id: 'sale', duplicate: true }, api);
    expect(await row()).toMatchObject({ receipts: 2, total: 20 });
    const patch = [{ op: 'add', path: '/items/0/return', value: { localtime: `${day}T15:00:00` } }];
    expect((await api.patch(`/receipts/${id}`, patch)).status).toBe(200);
    expect(await row()).toMatchObject({ receipts: 2, returns: { items: 1, total: 19.99 } });
    expect((await api.call(`/receipts/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect(await row()).toMatchObject({ receipts: 1, total: 10, returns: { items: 0, total: 0 } });
    const voided = await post({ total: 3 }, api);
    expect((await api.post(`/receipts/${voided}/_void`, {})).status).toBe(200);
    expect(await row()).toMatchObject({ receipts: 1, total: 10, voids: { receipts: 1, total: 3 } });
    const lines = [aReceipt({ total: 1 }), aReceipt({ total: 2 })];
    expect((await api.post('/receipts/_batch', { receipts: lines })).body.accepted).toBe(2);
    expect(await row()).toMatchObject({ receipts: 3, total: 13, voids: { receipts: 1, total: 3 } });
  });

  it('add up the posted values per group, and are sorted as text', async () => {
    const { api } = await aRetailer({ timezone: 'Europe/Paris' });
    const store = { reference: 10, name: 'Ten', country: 'JPN', timezone: 'Asia/Tokyo' };
    expect((await api.post('/stores', store)).status).toBe(201);
    const receipt = {
      items: [
        { name: 'A', quantity: 1, total: 5, discounts: [{ name: 'x', amount: -0.1 }] },
        { name: 'B', quantity: -1, total: -1.5, vat: { rate: 20, amount: 0.25 } },
        { name: 'C', quantity: 1, total: 2, return: { localtime: `${day}T10:00:00` } },
      ],
      discounts: [{ name: 'y', amount: -0.2 }],
      taxes: [{ name: 'vat', rate: 20, amount: 1 }],
      payments: [
        { method: 'cash', amount: 10, change: 4.5 },
        { method: 'card', amount: 0.1 },
        { method: 'card', amount: 7, currency: 'USD' },
      ],
      total: 5.3,
    };
    // The date of a receipt is that of its store.
    await post({ ...receipt, store_reference: 10, localtime: `${day}T23:30:00`, till_uuid: 'b' }, api);
    await post({ ...receipt, store_reference: 9, localtime: `${day}T00:30:00`, till_uuid: 'a' }, api);
    await post(
      { ...receipt, store_reference: 9, localtime: `${day}T08:00:00`, l10n: { currency: 'USD' } },
      api,
    );
    await post({ ...receipt, store_reference: 9, localtime: '2026-03-13T23:30:00', till_uuid: 'a' }, api);
    const of = async (group_by: string, more = {}) =>
      (await reported({ group_by, ...more }, api)).body.totals as Record<string, unknown>[];
    const group = ({
      store_reference: store,
      till_uuid: till,
      currency,
      receipts,
    }: Record<string, unknown>) => [store, till, currency, receipts];
    expect((await of('store')).map(group)).toEqual([
      ['10', undefined, 'EUR', 1],
      ['9', undefined, 'EUR', 1],
      ['9', undefined, 'USD', 1],
    ]);
    expect((await of('till')).map(group)).toEqual([
      [undefined, 'a', 'EUR', 1],
      [undefined, 'b', 'EUR', 1],
      [undefined, null, 'USD', 1],
    ]);
    expect((await of('day,store,till', { from: '2026-03-13' })).map(({ day }) => day)).toEqual([
      '2026-03-13',
      day,
      day,
      day,
    ]);
    expect((await of('till', { store_reference: '10', till_uuid: 'a,b' })).map(group)).toEqual([
      [undefined, 'b', 'EUR', 1],
    ]);
    expect(await of('currency')).toMatchObject([
      {
        currency: 'EUR',
        receipts: 2,
        items: 6,
        total: 10.6,
        net: null,
        discounts: -0.6,
        returns: { items: 4, total: 1 },
        taxes: [{ name: 'vat', rate: 20, amount: 2 }],
        payments: [
          { method: 'card', currency: 'EUR', count: 2, amount: 0.2 },
          { method: 'card', currency: 'USD', count: 2, amount: 14 },
          { method: 'cash', currency: 'EUR', count: 2, amount: 11 },
        ],
        first_localtime: `${day}T00:30:00+01:00`,
        last_localtime: `${day}T23:30:00+09:00`,
      },
      { currency: 'USD', receipts: 1 },
    ]);
  });

  it('have no first and last time if all receipts are voided', async () => {
    const { api } = await aRetailer();
    const id = await post({ total: 3 }, api);
    await api.post(`/receipts/${id}/_void`, {});
    expect((await reported({}, api)).body.totals).toMatchObject([
      {
        receipts: 0,
        items: 0,
        total: 0,
        net: null,
        payments: [],
        voids: { receipts: 1, total: 3 },
        first_localtime: null,
        last_localtime: null,
      },
    ]);
  });

  it('are kept when a consumer is erased', async () => {
    const { api } = await aRetailer();
    await post({ identifier: 'ann', total: 7, properties: { email: 'ann@example.com' } }, api);
    const before = (await reported({}, api)).body.totals;
    await until('the consumer', async () => (await api.get('/identifiers/ann')).status === 200);
    expect((await api.post('/identifiers/ann/_erase', {})).status).toBe(202);
    await until('the erasure', async () => (await api.post('/identifiers/ann/_erase', {})).status === 204);
    expect((await reported({}, api)).body.totals).toEqual(before);
  });

  it("are today's by default, in the retailer’s time zone", async () => {
    const { api } = await aRetailer({ timezone: 'Pacific/Kiritimati' });
    const today = new Date(Date.now() + 14 * 3_600_000).toISOString().slice(0, 10);
    await post({ localtime: `${today}T00:10:00` }, api);
    expect((await api.get('/reports/totals')).body.totals).toMatchObject([{ day: today, receipts: 1 }]);
  });
});

describe('a query', () => {
  it.each([
    [{ from: '2026-02-30' }, '/from'],
    [{ from: '14.03.2026' }, '/from'],
    [{ from: '2026-03-15' }, '/to'],
    [{ from: '2025-03-13' }, '/to'],
    [{ group_by: 'day,shop' }, '/group_by'],
    [{ group_by: '' }, '/group_by'],
    [{ group_by: 'day,' }, '/group_by'],
    [{ store_reference: '' }, '/store_reference'],
    [{ store_reference: Array.from({ length: 21 }, (_, n) => n).join(',') }, '/store_reference'],
    [{ till_uuid: 'a,,b' }, '/till_uuid'],
    [{ pretty: 'yes' }, '/pretty'],
    [{ shop: '1' }, '/shop'],
  ])('returns 400 for %j', async (query, path) => {
    const { status, body } = await reported(query as Record<string, string>);
    expect([status, body.code, body.errors.map((error: { path: string }) => error.path)]).toEqual([
      400,
      'invalid_parameter',
      [path],
    ]);
  });

  it('can cover 366 days, 20 stores and 20 tills', async () => {
    const twenty = Array.from({ length: 20 }, (_, n) => n + 1).join(',');
    const { status, body } = await reported({
      from: '2025-03-14',
      store_reference: twenty,
      till_uuid: twenty,
    });
    expect([status, body.totals]).toEqual([200, []]);
  });

  it('is indented on request, without losing precision', async () => {
    const { api } = await aRetailer();
    for (const total of [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 0.1]) await post({ total }, api);
    const { bytes } = await reported({ pretty: 'true' }, api);
    expect(bytes.toString()).toMatch(/\n +"total": 18014398509481982\.1,\n/);
  });

  it('requires view.get_report, and a caller that may see all consumers', async () => {
    const without = await retailer.clientWith({ permissions: ['view.get_receipt'] });
    const holder = await retailer.clientWith({ permissions: ['view.get_report'] });
    const settings = { consumer_required: true };
    const naming = await retailer.clientWith({ permissions: ['view.get_report'], settings });
    for (const path of ['/reports/totals', '/reports/totals.csv']) {
      expect((await without.get(path)).body.code).toBe('permission_denied');
      expect((await holder.get(path)).status).toBe(200);
      for (const confined of [retailer.signed({ consumer: 'ann' }), naming]) {
        const { status, body } = await confined.get(path);
        expect([status, body.code]).toEqual([403, 'consumer_mismatch']);
      }
      expect((await (await anonymous()).get(path)).status).toBe(401);
    }
  });

  it('contains only the retailer’s own receipts', async () => {
    const other = await aRetailer();
    await post({ total: 1 }, other.api);
    expect((await reported({ from: '2025-12-01' })).body.totals).toEqual([]);
  });
});

it('returns RFC 4180 CSV whose cells are never executed by spreadsheets', async () => {
  const { api } = await aRetailer();
  await post({ total: -5, store_reference: '=1+1', taxes: [{ name: 'vat', rate: 5.5, amount: 0.2 }] }, api);
  const { status, headers, bytes } = await api.get('/reports/totals.csv', range, { accept: 'text/csv' });
  expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
  expect(headers['content-disposition']).toBe(`attachment; filename="totals-${day}.csv"`);
  expect(bytes.toString().split('\r\n')).toEqual([
    'day,store_reference,currency,receipts,items,total,net,discounts,returns_items,returns_total,voids_receipts,voids_total,' +
      'first_localtime,last_localtime,payment:cash,tax:vat:5.5',
    `${day},'=1+1,EUR,1,2,-5,,0,0,0,0,0,${day}T12:30:00+00:00,${day}T12:30:00+00:00,25.48,0.2`,
    '',
  ]);
  expect((await api.get('/reports/totals.csv', range, { accept: 'application/json' })).status).toBe(406);
});

it('the operator can rebuild totals while responses stay the same', async () => {
  const { api } = await aRetailer();
  for (let n = 0; n < 5; n++) await post({ total: 0.1 }, api);
  const before = (await reported({}, api)).body.totals;
  const platform = await operator();
  const path = '/operator/services/receipt-store/_rebuild_totals';
  expect((await platform.call(path, { method: 'POST' })).status).toBe(202);
  expect((await reported({}, api)).body.totals).toEqual(before);
  await post({ total: 0.1 }, api);
  expect((await reported({}, api)).body.totals).toMatchObject([{ receipts: 6, total: 0.6 }]);
  expect((await platform.post(path, {})).status).toBe(202);
  expect((await retailer.api.post(path, {})).status).toBe(403);
  await until('the audit', async () => {
    const { actions } = (await platform.get('/operator/audit')).body as { actions: { operation: string }[] };
    return actions.some(({ operation }) => operation === 'rebuild-totals');
  });
});
