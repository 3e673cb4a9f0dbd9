import { receiptStoreContracts as contracts, type ReturnedReceipt } from '@receipts/contracts';
import { newId, type Call } from '@receipts/kernel';
import { Harness, refusal } from '../testing/harness';
import { callOf, retailerOf } from '../testing/samples';

let harness: Harness;
let retailer: string;
beforeAll(async () => {
  harness = await Harness.start();
});
afterAll(() => harness.stop());
beforeEach(() => {
  retailer = harness.retailer((id) => retailerOf(id));
});

const post = async (change: Parameters<Harness['post']>[1][number] = {}) =>
  (await harness.post(retailer, [change]))[0] as string;

async function voiding(id: string, body?: object, change: Partial<Call> = {}, of = retailer) {
  const input = { params: { id }, ...(body && { body }) };
  const { body: bytes, meta } = await harness.fake.call(
    contracts.voidReceipt,
    input as never,
    callOf(of, change),
  );
  return { receipt: JSON.parse(String(bytes)) as ReturnedReceipt, ...(meta as { version: number }) };
}

const eventsOf = async (id: string) => {
  await harness.flushEvents();
  return harness.fake.published.filter(({ subject }) => subject === id);
};

const found = async (query: string) => {
  const asked = { query: { query, count: 20, offset: 0 } } as never;
  const { receipts } = await harness.read<{ receipts: { id: string }[] }>(
    contracts.searchReceipts,
    asked,
    callOf(retailer),
  );
  return receipts.map(({ id }) => id);
};

test('shows the void in the receipt, and changes nothing else', async () => {
  const id = await post();
  const before = await harness.get(retailer, id);
  expect(before.voided).toBeNull();
  const { receipt, version } = await voiding(id, { reason: 'wrong customer', transaction_id: 'V-1' });
  expect(receipt).toEqual({
    ...before,
    voided: {
      timestamp: expect.stringMatching(/^\d{4}-.*\+00:00$/) as string,
      reason: 'wrong customer',
      transaction_id: 'V-1',
    },
  });
  expect(version).toBe(2);
  expect(await harness.get(retailer, id)).toEqual(receipt);
});

test('keeps the first void, even if another reason follows, and stores a missing reason as null', async () => {
  const id = await post();
  const first = await voiding(id);
  expect(first.receipt.voided).toMatchObject({ reason: null, transaction_id: null });
  harness.clock.aheadMs += 5_000;
  expect(await voiding(id, { reason: 'later' })).toEqual(first);
  expect((await eventsOf(id)).filter(({ type }) => type === 'receipt.voided')).toHaveLength(1);
});

test('treats concurrent voids as one', async () => {
  const id = await post();
  const answers = await Promise.all(['a', 'b', 'c', 'd'].map((reason) => voiding(id, { reason })));
  expect(new Set(answers.map(({ receipt }) => JSON.stringify(receipt.voided))).size).toBe(1);
  expect((await eventsOf(id)).filter(({ type }) => type === 'receipt.voided')).toHaveLength(1);
});

test('publishes the figures and the void, and includes the void in the list of changes', async () => {
  const id = await post({ identifier: 'jane' });
  const { receipt } = await voiding(id, { reason: 'theft' });
  const events = await eventsOf(id);
  expect(events.find(({ type }) => type === 'receipt.voided')).toMatchObject({
    sequence: 2,
    retailer,
    data: { id, identifier: 'jane', total: receipt.total, currency: 'EUR', voided: receipt.voided },
  });
  expect(events.some(({ type }) => type === 'receipt.updated')).toBe(false);
  const changes = await harness.fake.call(
    contracts.listChanges,
    { body: { after: null, count: 200 } },
    callOf(retailer),
  );
  expect((changes.body as { changes: unknown[] }).changes[0]).toMatchObject({
    id,
    version: 2,
    figures: { voided: true },
  });
});

test('finds a voided receipt, even by the void itself', async () => {
  const [voided, plain] = [await post(), await post()];
  const { receipt } = await voiding(voided);
  expect(await found('voided:*')).toEqual([voided]);
  expect(await found('-voided:*')).toEqual([plain]);
  const day = receipt.voided?.timestamp.slice(0, 10) ?? '';
  expect(await found(`voided.timestamp:${day}`)).toEqual([voided]);
  expect(await found('voided.timestamp:[* TO 2020}')).toEqual([]);
  expect(await refusal(found('voided:yes'))).toMatchObject({ status: 400, code: 'invalid_query' });
});

test('allows a patch to test and copy the void, but not to set or remove it', async () => {
  const id = await post();
  await voiding(id, { reason: 'x' });
  const patch = (body: unknown) =>
    harness.fake.call(
      contracts.patchReceipt,
      { params: { id }, headers: {}, body, contentType: 'application/json-patch+json' } as never,
      callOf(retailer),
    );
  await patch([{ op: 'test', path: '/voided/reason', value: 'x' }]);
  for (const operation of [
    { op: 'remove', path: '/voided' },
    { op: 'replace', path: '/voided/reason', value: 'y' },
    { op: 'add', path: '/voided', value: null },
  ]) {
    expect(await refusal(patch([operation]))).toMatchObject({ status: 422, code: 'field_not_modifiable' });
  }
});

test('allows a consumer to void only their own receipts, and rejects other, unknown and deleted receipts', async () => {
  const other = harness.retailer((id) => retailerOf(id));
  const [mine, theirs, nobodys] = [
    await post({ identifier: 'jane' }),
    await post({ identifier: 'joe' }),
    await post(),
  ];
  const confined = { consumers: ['jane'] };
  for (const attempt of [
    voiding(theirs, {}, confined),
    voiding(nobodys, {}, confined),
    voiding(newId()),
    voiding(mine, {}, {}, other),
  ]) {
    expect(await refusal(attempt)).toMatchObject({ status: 404, code: 'receipt_not_found' });
  }
  expect((await voiding(mine, {}, confined)).receipt.voided).not.toBeNull();
  await harness.fake.call(contracts.deleteReceipt, { params: { id: mine } }, callOf(retailer));
  expect(await refusal(voiding(mine))).toMatchObject({ status: 410, code: 'receipt_deleted' });
  expect(await refusal(voiding(mine, {}, confined))).toMatchObject({ status: 404 });
});
