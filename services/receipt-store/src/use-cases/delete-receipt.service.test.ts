import { receiptStoreContracts as contracts } from '@receipts/contracts';
import { newId } from '@receipts/kernel';
import { until } from '@receipts/testing';
import { Harness, refusal } from '../testing/harness';
import { callOf, postedReceipt, retailerOf } from '../testing/samples';

const { deleteReceipt, getReceipt, listReceiptsV1, patchReceipt, assignReceipt, searchReceipts } = contracts;

let harness: Harness;
beforeAll(async () => {
  harness = await Harness.start();
});
afterAll(() => harness.stop());

const remove = (retailer: string, id: string, change = {}) =>
  harness.fake.call(deleteReceipt, { params: { id } }, callOf(retailer, change));
const get = (retailer: string, id: string, change = {}) =>
  harness.fake.call(getReceipt, { params: { id }, query: {} }, callOf(retailer, change));
const listed = async (retailer: string, query: object = {}) => {
  const asked = { query: { count: 20, ...query } } as never;
  const found = await harness.read<{ id: string }[]>(listReceiptsV1, asked, callOf(retailer));
  return found.map(({ id }) => id);
};
const found = async (retailer: string, query: string) => {
  const asked = { query: { query, count: 20, offset: 0 } } as never;
  return harness.read<{ hits: number; receipts: { id: string }[] }>(searchReceipts, asked, callOf(retailer));
};

test('removes a deleted receipt from lists and searches, returns 410, and keeps it deleted', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const transaction_id = newId();
  const [before, id, after] = (await harness.post(retailer, [
    {},
    { transaction_id, identifier: 'jane', properties: { email: 'jane@example.com' } },
    {},
  ])) as [string, string, string];
  expect(await remove(retailer, id)).toEqual({});
  expect(await remove(retailer, id)).toEqual({});
  expect(await refusal(get(retailer, id))).toMatchObject({ status: 410, code: 'receipt_deleted' });
  expect(await listed(retailer)).toEqual([after, before]);
  for (const query of [{ id: [id] }, { transaction_id: [transaction_id] }, { consumer: ['jane'] }]) {
    expect(await listed(retailer, query)).toEqual([]);
  }
  expect(await listed(retailer, { newer: id })).toEqual([after]);
  expect(await listed(retailer, { older: id })).toEqual([before]);
  for (const query of [`transaction_id:${transaction_id}`, 'identifier:jane', 'properties.email:jane']) {
    expect(await found(retailer, query)).toMatchObject({ hits: 0, receipts: [] });
  }
  expect((await found(retailer, '-items.name:nothing')).hits).toBe(2);
});

test('keeps neither personal data nor items', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const [id] = (await harness.post(retailer, [
    {
      identifier: 'jane',
      properties: { email: 'jane@example.com' },
      items: [{ name: 'Secret', quantity: 1, total: 10 }],
    },
  ])) as [string];
  await remove(retailer, id);
  const documents = harness.database.db.collection<{ _id: string }>('receipts');
  const left = await until('its words are deleted', async () => {
    const found = await documents.findOne({ _id: id });
    return found && !('dueAt' in found) && found;
  });
  expect(JSON.stringify({ ...left, outbox: undefined })).not.toMatch(/jane|secret/i);
});

test('keeps its transaction id and external id reserved', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const ids = { transaction_id: newId(), external_id: 'f47ac10b-58cc-4372-a567-0e02b2c3d479' };
  const [id] = (await harness.post(retailer, [ids])) as [string];
  await remove(retailer, id);
  expect(await refusal(harness.post(retailer, [ids]))).toMatchObject({
    status: 409,
    code: 'duplicate_transaction_id',
    extra: { id },
  });
  expect(await refusal(harness.post(retailer, [{ ...ids, transaction_id: newId() }]))).toMatchObject({
    code: 'duplicate_external_id',
  });
});

test('publishes one event with the next version and without personal data', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const transaction_id = newId();
  const [id] = (await harness.post(retailer, [{ transaction_id, identifier: 'jane' }])) as [string];
  await remove(retailer, id);
  await remove(retailer, id);
  await harness.flushEvents();
  const events = harness.fake.published.filter(
    ({ subject, type }) => subject === id && type === 'receipt.deleted',
  );
  expect(events).toHaveLength(1);
  expect(events[0]).toMatchObject({ sequence: 2, retailer });
  expect(events[0]?.data).toEqual({
    id,
    transaction_id,
    deleted_timestamp: expect.stringMatching(/^\d{4}-.*\+00:00$/) as string,
  });
});

test('still publishes the created event of a receipt that is deleted immediately', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const call = callOf(retailer);
  await harness.fake.call(contracts.createReceipt, { body: postedReceipt() }, call);
  await remove(retailer, call.id);
  await harness.flushEvents();
  const types = new Set(
    harness.fake.published.filter(({ subject }) => subject === call.id).map(({ type }) => type),
  );
  expect([...types].sort()).toEqual(['receipt.created', 'receipt.deleted']);
});

test('rejects later changes and assignments', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const [id] = (await harness.post(retailer, [{}])) as [string];
  await remove(retailer, id);
  const body = [{ op: 'add', path: '/identifier', value: 'joe' }];
  const patch = harness.fake.call(
    patchReceipt,
    { params: { id }, headers: {}, body, contentType: 'application/json-patch+json' } as never,
    callOf(retailer),
  );
  expect(await refusal(patch)).toMatchObject({ status: 410, code: 'receipt_deleted' });
  const assign = harness.fake.call(
    assignReceipt,
    { query: {}, body: { id, identifier: 'joe' } } as never,
    callOf(retailer),
  );
  expect(await refusal(assign)).toMatchObject({ status: 422, code: 'receipt_not_found' });
});

test('does not find unknown receipts, or those of other retailers and consumers', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  const other = harness.retailer((id) => retailerOf(id));
  const [id, joes] = (await harness.post(retailer, [{ identifier: 'jane' }, { identifier: 'joe' }])) as [
    string,
    string,
  ];
  const confined = { consumers: ['jane'] };
  for (const attempt of [remove(retailer, newId()), remove(other, id), remove(retailer, joes, confined)]) {
    expect(await refusal(attempt)).toMatchObject({ status: 404, code: 'receipt_not_found' });
  }
  await remove(retailer, id, confined);
  // The receipt's consumer is no longer known.
  expect(await refusal(get(retailer, id, confined))).toMatchObject({ status: 404 });
  expect(await listed(retailer)).toEqual([joes]);
});
