import { receiptStoreContracts as contracts, type PostedReceipt } from '@receipts/contracts';
import { Harness, refusal } from '../testing/harness';
import { callOf, retailerOf } from '../testing/samples';

let harness: Harness;

beforeAll(async () => {
  harness = await Harness.start();
});

afterAll(() => harness.stop());

const item: PostedReceipt['items'][number] = { name: 'Shirt', quantity: 1, total: 1 };
const receipts = (count: number): Partial<PostedReceipt>[] =>
  Array.from({ length: count }, (_, n) => ({ items: [item], dynamic: { till: `T${n % 2}` } }));

/** The retailer declares its own field. */
const declare = (retailer: string) => {
  const data = {
    ...retailerOf(retailer, { dynamic_fields: { receipt: { till: 'exact' }, item: {} } }),
    version: 2,
  };
  return harness.fake.deliver({ type: 'retailer.updated', data });
};

const reindex = async (id: string, body: { after?: number; count?: number } = {}) =>
  (await harness.fake.call(contracts.reindexReceipts, { params: { id }, body }, callOf(''))).body;
const hits = async (retailer: string, query: string) =>
  (
    await harness.read<{ hits: number }>(
      contracts.searchReceipts,
      { query: { query, count: 20, offset: 0 } } as never,
      callOf(retailer),
    )
  ).hits;

test('finds older receipts by a dynamic field that was declared later', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  await harness.post(retailer, receipts(5));
  await harness.flushEvents();
  await declare(retailer);
  expect(await hits(retailer, 'dynamic.till:T1')).toBe(0);
  expect(await reindex(retailer)).toEqual({ examined: 5, changed: 5, next: null });
  expect(await hits(retailer, 'dynamic.till:T1')).toBe(2);
  expect(await reindex(retailer)).toEqual({ examined: 5, changed: 0, next: null });
});

test('continues where it was stopped', async () => {
  const retailer = harness.retailer((id) => retailerOf(id));
  await harness.post(retailer, receipts(5));
  await declare(retailer);
  expect(await reindex(retailer, { count: 2 })).toEqual({ examined: 2, changed: 2, next: 2 });
  expect(await reindex(retailer, { after: 2, count: 2 })).toEqual({ examined: 2, changed: 2, next: 4 });
  expect(await reindex(retailer, { after: 4, count: 2 })).toEqual({ examined: 1, changed: 1, next: null });
});

test('returns 404 for an unknown retailer', async () => {
  expect(await refusal(reindex('nobody'))).toMatchObject({ status: 404, code: 'not_found' });
});
