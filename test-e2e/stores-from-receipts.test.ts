import type { TestRetailer } from './harness/client';
import { aReceipt } from './harness/receipts';
import { aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;

beforeAll(async () => {
  retailer = await aRetailer({ stores: { from_receipt: true } });
});

const post = (overrides: Record<string, unknown>) => retailer.api.post('/receipts', aReceipt(overrides));
const receiptOf = async (overrides: Record<string, unknown>) => {
  const answer = await post(overrides);
  expect(answer.status).toBe(201);
  return (await retailer.api.get(`/receipts/${answer.body.id}`)).body;
};

it('a receipt creates its store, and a later receipt with only the reference uses that store', async () => {
  const store = { name: 'Born of a receipt', country: 'FRA', city: 'Lyon', address: ['1', '2'] };
  expect((await receiptOf({ store_reference: 5, store })).store).toMatchObject(store);
  expect((await retailer.api.get('/stores/5')).body).toMatchObject({ reference: 5, ...store });
  expect((await receiptOf({ store_reference: 5 })).store).toMatchObject(store);
});

it('a receipt updates its store', async () => {
  await post({ store_reference: 6, store: { name: 'Before', country: 'FRA', phone: '1' } });
  await post({ store_reference: 6, store: { name: 'After', country: 'FRA' } });
  expect((await retailer.api.get('/stores/6')).body).toMatchObject({ reference: 6, name: 'After' });
});

it('a receipt with an external reference also updates the store', async () => {
  const receipt = await receiptOf({ store_reference: 'EXT', store: { name: 'External', country: 'DEU' } });
  expect(receipt.store_reference).toBe('EXT');
  expect((await retailer.api.get('/stores/EXT')).body).toMatchObject({
    external_reference: 'EXT',
    name: 'External',
  });
});

it.each([
  ['a missing name', { country: 'FRA' }],
  ['no country', { name: 'x' }],
  ['a country of two letters', { name: 'x', country: 'FR' }],
  ['an unknown key', { name: 'x', country: 'FRA', colour: 'red' }],
])('returns 422 and creates nothing for an invalid store (%s)', async (_what, store) => {
  const answer = await post({ store_reference: 77, store });
  expect([answer.status, answer.body.code]).toEqual([422, 'schema_validation_failed']);
  expect((await retailer.api.get('/stores/77')).status).toBe(404);
});

it('is disabled unless the retailer enables it', async () => {
  const closed = await aRetailer();
  const answer = await closed.api.post('/receipts', aReceipt({ store: { name: 'x', country: 'FRA' } }));
  expect([answer.status, answer.body.description]).toEqual([
    422,
    'store can not be set or updated from receipt',
  ]);
});
