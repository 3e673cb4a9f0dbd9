import { until } from '@receipts/testing';
import type { TestRetailer } from './harness/client';
import { aReceipt, uniqueId } from './harness/receipts';
import { aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;
const columns = [
  'index',
  'name',
  'unit',
  'quantity',
  'returned_quantity',
  'returnable_quantity',
  'unit_price',
  'returnable_total',
];
beforeAll(async () => {
  retailer = await aRetailer();
});

const item = (quantity: number, total: number) => ({ name: 'Tea', quantity, total });
async function posted(overrides: object = {}) {
  const body = aReceipt(overrides as Record<string, unknown>);
  const answer = await retailer.api.post('/receipts', body);
  expect(answer.status).toBe(201);
  return { id: answer.body.id as string, transaction_id: body['transaction_id'] as string };
}
const get = async (id: string) => (await retailer.api.get(`/receipts/${id}`)).body;
const found = async (query: string) => {
  const { body } = await retailer.api.get('/receipts/_search', { query });
  return (body.receipts as { id: string }[]).map(({ id }) => id);
};
const returnable = async (id: string) => {
  const { status, body } = await retailer.api.get(`/receipts/${id}/returnable`);
  expect(status).toBe(200);
  return body as { items: { returned_quantity: number; returnable_quantity: number }[] };
};
const left = async (id: string) => (await returnable(id)).items.map((one) => one.returnable_quantity);

it('a related receipt is returned as posted, with the id once it is known', async () => {
  const sale = await posted();
  expect((await get(sale.id)).related).toEqual([]);
  const byId = await posted({ related: [{ type: 'correction', id: sale.id }] });
  expect((await get(byId.id)).related).toEqual([{ type: 'correction', id: sale.id, transaction_id: null }]);
  const { transaction_id } = sale;
  const later = await posted({ related: [{ type: 'return', transaction_id }] });
  expect((await get(later.id)).related).toEqual([{ type: 'return', id: sale.id, transaction_id }]);
  expect((await found(`related.id:${sale.id}`)).sort()).toEqual([byId.id, later.id].sort());
  expect(await found(`related.transaction_id:${transaction_id}`)).toEqual([later.id]);
  expect(await found('related.transaction_id:*')).not.toContain(byId.id);
});

it('may refer to a receipt that arrives later', async () => {
  const transaction_id = `later-${Date.now()}`;
  const first = await posted({
    related: [{ type: 'return', transaction_id }],
    items: [item(-1, -5)],
    total: -5,
  });
  expect((await get(first.id)).related).toEqual([{ type: 'return', id: null, transaction_id }]);
  const proofBefore = (await retailer.api.get(`/receipts/${first.id}/proof`)).bytes.toString();
  const from = (await retailer.api.get('/events?types=receipt.updated')).body._links.next.href as string;
  const sale = await posted({ transaction_id, items: [item(2, 10)], total: 10 });
  const related = [{ type: 'return', id: sale.id, transaction_id }];
  // The receipt that is read first contains the id.
  expect(await found(`related.id:${sale.id}`)).toEqual([first.id]);
  expect(await found(`+transaction_id:"${first.transaction_id}" +related.id:*`)).toEqual([first.id]);
  expect((await retailer.api.get(`/receipts?id=${first.id}`)).body[0].related).toEqual(related);
  const v2 = await retailer.api.get(`/receipts?id=${first.id}`, {}, { 'service-api-version': '2' });
  expect(v2.body.receipts[0].related).toEqual(related);
  const { bytes } = await retailer.api.get('/receipts/export?from=2026-01-01&to=2027-01-01');
  const exported = bytes
    .toString()
    .split('\n')
    .filter((line) => line.includes(`"id":"${first.id}"`));
  expect(exported.map((line) => (JSON.parse(line) as { related: unknown }).related)).toEqual([related]);
  const receipt = await get(first.id);
  expect(receipt.related).toEqual(related);
  expect(await left(sale.id)).toEqual([1]);
  const proof = (await retailer.api.get(`/receipts/${first.id}/proof`)).bytes.toString();
  expect(proof).not.toBe(proofBefore);
  const verified = await retailer.api.post('/verify', { proof, receipt }, { accept: 'application/json' });
  expect(verified.body).toMatchObject({ valid: true, current: true });
  const { body } = await retailer.api.get(`${from}&wait=20`);
  expect(body.events).toMatchObject([{ subject: first.id, data: { receipt: { related } } }]);
});

it('can be returned by a mapping', async () => {
  const mapping = {
    id: 'returns',
    match: { content_type: ['application/json'] },
    decode: { type: 'json' },
    transform: {
      language: 'jsonata',
      expression: `{
        "transaction_id": doc.number, "localtime": "2026-03-14T12:30:00", "store_reference": "1", "total": -5,
        "items": [{ "name": "Tea", "quantity": -1, "total": -5 }],
        "related": [{ "type": doc.type, "transaction_id": doc.sale }]
      }`,
    },
  };
  expect((await retailer.api.post('/pos/mappings', mapping)).status).toBe(201);
  expect((await retailer.api.post('/pos/mappings/returns/_activate', {})).status).toBe(200);
  const raw = async (doc: object) => {
    const answer = await retailer.api.post('/pos/receipts', doc);
    expect(answer.status).toBe(202);
    return (answer.headers.location as string).slice('/receipts/'.length);
  };
  const transaction_id = `raw-sale-${Date.now()}`;
  const first = await raw({ number: `raw-${Date.now()}`, type: 'return', sale: transaction_id });
  await until('the conversion', async () => (await retailer.api.get(`/receipts/${first}`)).status === 200);
  const sale = await posted({ transaction_id, items: [item(2, 10)], total: 10 });
  expect((await get(first)).related).toEqual([{ type: 'return', id: sale.id, transaction_id }]);
  expect(await left(sale.id)).toEqual([1]);
  const failed = await raw({ number: `raw-${Date.now()}`, type: 'refund', sale: transaction_id });
  const packet = await until('the failure', async () => {
    const { body } = await retailer.api.get(`/pos/packets/${failed}`);
    return body.status === 'failed' && body;
  });
  expect(packet).toMatchObject({ reason: 'invalid_receipt', errors: [{ path: '/0/related/0/type' }] });
});

it.each([
  [[{ type: 'return' }], '/related/0/id'],
  [[{ type: 'return', id: 'a', transaction_id: 'b' }], '/related/0/transaction_id'],
  [[{ type: 'refund', id: 'a' }], '/related/0/type'],
  [Array.from({ length: 21 }, (_, n) => ({ type: 'return', id: `${n}` })), '/related'],
])('rejects %j', async (related, path) => {
  const answer = await retailer.api.post('/receipts', aReceipt({ related }));
  expect([answer.status, answer.body.code]).toEqual([422, 'schema_validation_failed']);
  expect(answer.body.errors).toMatchObject([{ path }]);
});

it('assigns returns to the lines of the sale, whatever happens to the returns', async () => {
  const back = { localtime: '2026-03-14T12:30:00' };
  const code = (product_code: string) => ({ properties: { product_code } });
  const transaction_id = uniqueId('sale');
  const related = [{ type: 'return', transaction_id }];
  const early = await posted({
    related,
    items: [
      { name: 'Other name', quantity: -3, total: -9, ...code('tea') },
      { name: 'Cup', quantity: 1, total: 3.33 },
    ],
    total: -5.67,
  });
  const { id } = await posted({
    transaction_id,
    items: [
      { ...item(2, 6.05), ...code('tea') },
      { ...item(2, 6), ...code('tea') },
      { name: 'Cup', quantity: 3, total: 10, unit: 'piece' },
      { name: 'Cup', quantity: -1, total: -3.33, return: back },
      { ...item(1, 5), name: 'Pot', return: back },
    ],
    total: 24,
  });
  const rows = async () =>
    (await returnable(id)).items.map((one) => Object.values(one as unknown as Record<string, unknown>));
  const pot = [4, 'Pot', null, 1, 1, 0, 5, 0];
  expect(Object.keys((await returnable(id)).items[0] ?? {})).toEqual(columns);
  expect(await rows()).toEqual([
    [0, 'Tea', null, 2, 2, 0, 3.02, 0],
    [1, 'Tea', null, 2, 1, 1, 3, 3],
    [2, 'Cup', 'piece', 3, 1, 2, 3.33, 6.67],
    pot,
  ]);
  const late = await posted({ related, items: [{ name: 'Cup', quantity: -5, total: -15 }], total: -15 });
  expect((await rows())[2]).toEqual([2, 'Cup', 'piece', 3, 3, 0, 3.33, 0]);
  await retailer.api.post(`/receipts/${late.id}/_void`, {});
  const patch = [{ op: 'add', path: '/items/1/return', value: back }];
  expect((await retailer.api.patch(`/receipts/${early.id}`, patch)).status).toBe(200);
  expect((await rows())[2]).toEqual([2, 'Cup', 'piece', 3, 2, 1, 3.33, 3.33]);
  await retailer.api.call(`/receipts/${early.id}`, { method: 'DELETE' });
  expect(await rows()).toEqual([
    [0, 'Tea', null, 2, 0, 2, 3.02, 6.05],
    [1, 'Tea', null, 2, 0, 2, 3, 6],
    [2, 'Cup', 'piece', 3, 1, 2, 3.33, 6.67],
    pot,
  ]);
});

it("ignores another retailer's receipts, and requires the permission to read receipts", async () => {
  const other = await aRetailer();
  const transaction_id = uniqueId('sale');
  const { id } = await posted({ transaction_id, items: [item(2, 10)], total: 10 });
  const foreign = aReceipt({
    related: [{ type: 'return', transaction_id }],
    items: [item(-1, -5)],
    total: -5,
  });
  const { body } = await other.api.post('/receipts', foreign);
  expect((await other.api.get(`/receipts/${body.id}`)).body.related).toEqual([
    { type: 'return', id: null, transaction_id },
  ]);
  expect(await left(id)).toEqual([2]);
  const unknown = await other.api.get(`/receipts/${id}/returnable`);
  expect([unknown.status, unknown.body.code]).toEqual([404, 'receipt_not_found']);
  const poster = await retailer.clientWith({ permissions: ['view.post_receipt'] });
  expect((await poster.get(`/receipts/${id}/returnable`)).body.code).toBe('permission_denied');
});

it('counts returns and exchanges, except voided, deleted and duplicate receipts', async () => {
  const sale = await posted({ items: [item(5, 10)], total: 10 });
  const come = (type: string, more: object = {}) =>
    posted({ related: [{ type, id: sale.id }], items: [item(-1, -2)], total: -2, ...more });
  expect(await returnable(sale.id)).toEqual({
    receipt_id: sale.id,
    currency: 'EUR',
    items: [
      {
        index: 0,
        name: 'Tea',
        unit: null,
        quantity: 5,
        unit_price: 2,
        returned_quantity: 0,
        returnable_quantity: 5,
        returnable_total: 10,
      },
    ],
  });
  const [returned, exchanged] = [await come('return'), await come('exchange')];
  await come('correction');
  await come('return', { duplicate: true });
  expect(await left(sale.id)).toEqual([3]);
  await retailer.api.post(`/receipts/${returned.id}/_void`, {});
  expect(await left(sale.id)).toEqual([4]);
  await retailer.api.call(`/receipts/${exchanged.id}`, { method: 'DELETE' });
  expect(await left(sale.id)).toEqual([5]);
  const value = { localtime: '2026-03-14T12:30:00' };
  await retailer.api.patch(`/receipts/${sale.id}`, [{ op: 'add', path: '/items/0/return', value }]);
  expect(await left(sale.id)).toEqual([0]);
});
