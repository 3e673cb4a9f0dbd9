import { until } from '@receipts/testing';
import type { Client, TestRetailer } from './harness/client';
import { aReceipt } from './harness/receipts';
import { aRetailer } from './harness/shared-platform';

const day = '2026-03-14';
const range = { from: day, to: day };
let retailer: TestRetailer;

beforeAll(async () => {
  retailer = await aRetailer({ timezone: 'Europe/Paris' });
});

async function send(
  till: string,
  numbers: readonly number[],
  overrides: object = {},
  by: Client = retailer.api,
) {
  const ids: string[] = [];
  for (const number of numbers) {
    const receipt = aReceipt({ till_uuid: till, till_sequence: number, ...overrides });
    const answer = await by.post('/receipts', receipt);
    expect(answer.status).toBe(201);
    ids.push(answer.body.id as string);
  }
  return ids;
}

const gapsOf = async (till: string, query: Record<string, string> = {}) =>
  (await retailer.api.get('/reports/gaps', { ...range, till_uuid: till, ...query })).body.tills[0];

describe('GET /reports/gaps', () => {
  it('names the numbers that a till has not sent, until they arrive', async () => {
    await send('late', [1, 2, 5, 9]);
    const found = { store_reference: '1', till_uuid: 'late', first: 1, last: 9, repeated: 0, restarts: 0 };
    expect(await gapsOf('late')).toEqual({
      ...found,
      received: 4,
      missing: [
        { from: 3, to: 4 },
        { from: 6, to: 8 },
      ],
    });
    await send('late', [3, 4]);
    expect(await gapsOf('late')).toEqual({ ...found, received: 6, missing: [{ from: 6, to: 8 }] });
  });

  it('counts duplicates, voided and deleted receipts as received', async () => {
    const [voided, deleted] = await send('kept', [1, 2, 3]);
    await retailer.api.post(`/receipts/${voided}/_void`, {});
    await retailer.api.call(`/receipts/${deleted}`, { method: 'DELETE' });
    await send('kept', [4], { duplicate: true });
    await send('kept', [3], { duplicate: true });
    expect(await gapsOf('kept')).toMatchObject({ received: 5, missing: [], repeated: 1, restarts: 0 });
  });

  it('tells a restart from a gap', async () => {
    await send('restarted', [5000, 5001, 1, 2]);
    expect(await gapsOf('restarted')).toMatchObject({ first: 5000, last: 2, missing: [], restarts: 1 });
  });

  it('lists at most 100 ranges', async () => {
    const receipts = Array.from({ length: 102 }, (_, n) =>
      aReceipt({ till_uuid: 'many', till_sequence: 2 * n }),
    );
    await retailer.api.post('/receipts/_batch', { receipts });
    const gaps = await gapsOf('many');
    expect(gaps.missing).toHaveLength(100);
    expect(gaps).toMatchObject({ more: true, received: 102, last: 202 });
  });

  it('selects days, stores and tills, and nobody else’s receipts', async () => {
    await send('chosen', [1, 3]);
    await send('chosen', [7], { localtime: '2026-03-15T09:00:00' });
    await send('chosen', [20], { store_reference: 2 });
    expect(await gapsOf('chosen', { store_reference: '1' })).toMatchObject({ first: 1, last: 3 });
    const both = { store_reference: '1', to: '2026-03-15' };
    expect((await gapsOf('chosen', both)).missing).toEqual([
      { from: 2, to: 2 },
      { from: 4, to: 6 },
    ]);
    const stores = (await retailer.api.get('/reports/gaps', { ...range, till_uuid: 'chosen' })).body.tills;
    expect(stores.map((till: { store_reference: string }) => till.store_reference)).toEqual(['1', '2']);
    const other = await aRetailer();
    expect((await other.api.get('/reports/gaps', range)).body.tills).toEqual([]);
  });

  it('has no till without numbers, and says what is wrong with a range', async () => {
    const { api } = await aRetailer();
    await api.post('/receipts', aReceipt({ till_uuid: 'plain' }));
    expect((await api.get('/reports/gaps', range)).body.tills).toEqual([]);
    expect((await api.get('/reports/gaps', { from: '2026-03-15', to: day })).status).toBe(400);
  });

  it('needs its permission, and is not for consumers', async () => {
    const reader = await retailer.clientWith({ permissions: ['view.get_receipt'] });
    expect((await reader.get('/reports/gaps', range)).status).toBe(403);
    const jane = retailer.signed({ consumer: 'jane@example.com' });
    const refused = await jane.get('/reports/gaps', range);
    expect([refused.status, refused.body.code]).toEqual([403, 'consumer_mismatch']);
  });
});

describe('till_sequence', () => {
  it('is returned as posted, and null without', async () => {
    const [id] = await send('field', [0]);
    expect((await retailer.api.get(`/receipts/${id}`)).body.till_sequence).toBe(0);
    const plain = await retailer.api.post('/receipts', aReceipt());
    expect((await retailer.api.get(`/receipts/${plain.body.id}`)).body.till_sequence).toBeNull();
    for (const wrong of [-1, 1.5, '7']) {
      expect((await retailer.api.post('/receipts', aReceipt({ till_sequence: wrong }))).status).toBe(422);
    }
  });

  it('may come with raw data', async () => {
    const headers = { 'content-type': 'application/json', 'service-till-sequence': '41' };
    const raw = JSON.stringify(aReceipt({ till_uuid: 'raw' }));
    const match = { content_type: ['application/json'] };
    const transform = { language: 'jsonata', expression: 'doc' };
    const mapping = { id: 'as-is', match, decode: { type: 'json' }, transform };
    const created = await retailer.api.post('/pos/mappings', mapping);
    expect([created.status, created.body]).toEqual([201, expect.anything()]);
    const activated = await retailer.api.post('/pos/mappings/as-is/_activate', { version: 1 });
    expect(activated.status).toBe(200);
    const accepted = await retailer.api.call('/pos/receipts', { method: 'POST', body: raw, headers });
    expect(accepted.status).toBe(202);
    await until(
      'the receipt',
      async () => (await retailer.api.get(accepted.headers.location ?? '')).status === 200,
    );
    expect(await gapsOf('raw')).toMatchObject({ first: 41, last: 41 });
    const wrong = await retailer.api.call('/pos/receipts?till_sequence=x', {
      method: 'POST',
      body: raw,
      headers: { 'content-type': 'application/json' },
    });
    expect([wrong.status, wrong.body.errors?.[0]?.path]).toEqual([400, '/till_sequence']);
  });
});
