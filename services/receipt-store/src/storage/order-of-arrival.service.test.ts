import type { Collection, FindOptions } from 'mongodb';
import { newId } from '@receipts/kernel';
import type { Database } from '@receipts/storage';
import { startDatabase } from '@receipts/testing';
import { receiptCollection, type StoredReceipt } from './receipt-document';
import { ReceiptWriter, type NewReceipt } from './receipt-writer';
import { Receipts } from './receipts';

let database: Database;
let collection: Collection<StoredReceipt>;

beforeAll(async () => {
  database = await startDatabase();
  collection = await database.collection<StoredReceipt>(receiptCollection);
});

afterAll(() => database.close());

const timeLimit = () => ({ deadline: Date.now() + 60_000 });

/** One process's view of the order of arrival. */
function process() {
  const receipts = new Receipts(collection);
  return { receipts, writer: new ReceiptWriter(collection, receipts) };
}

function receiptOf(retailer: string, change: Partial<NewReceipt> = {}): NewReceipt {
  const id = newId();
  return {
    _id: id,
    retailer,
    version: 1,
    transaction_id: id,
    store_key: 'id:1',
    origin: `call:${id}`,
    text: `{"id":"${id}"}`,
    search: { terms: [], numbers: {}, texts: [] },
    ...change,
  };
}

const idsOf = (found: readonly { readonly text: string | Buffer }[]) =>
  found.map(({ text }) => (JSON.parse(text.toString()) as { id: string }).id);

const add = (receipts: readonly NewReceipt[]) => process().writer.add(receipts, timeLimit());

const listAll = (retailer: string) =>
  process().receipts.list(retailer, {}, { above: 0, upTo: 1e9, from: 'newest', count: 100 }, timeLimit());

test('assigns numbers from 1 without gaps, even if receipts are rejected in between', async () => {
  const retailer = newId();
  const [one, two, three] = [receiptOf(retailer), receiptOf(retailer), receiptOf(retailer)];
  expect(await process().receipts.lastNumber(retailer, timeLimit())).toBe(0);
  expect(await add([one])).toEqual([{ arrival: 1 }]);
  const taken = { ...receiptOf(retailer), transaction_id: one.transaction_id };
  expect(await add([taken, two, one, three])).toEqual([
    expect.objectContaining({ _id: one._id }),
    { arrival: 2 },
    expect.objectContaining({ _id: one._id, origin: one.origin }),
    { arrival: 3 },
  ]);
  expect((await listAll(retailer)).map(({ arrival }) => arrival)).toEqual([3, 2, 1]);
  expect(idsOf(await listAll(retailer))).toEqual([three._id, two._id, one._id]);
  expect(await process().receipts.lastNumber(retailer, timeLimit())).toBe(3);
});

describe('the cost of a page', () => {
  const retailer = newId();
  const everySeventh = 7;
  beforeAll(async () => {
    const many = Array.from({ length: 3_000 }, (_, n) =>
      receiptOf(retailer, {
        identifier: `c${n % everySeventh}`,
        store_key: `id:${n % 5}`,
        transaction_id: `t${n}`,
        ...(n % 3 === 0 && { external_id: newId() }),
      }),
    );
    for (let at = 0; at < many.length; at += 250) await add(many.slice(at, at + 250));
  });

  test.each([
    ['no filter', {}, 21],
    ['a consumer', { consumers: ['c1'] }, 21],
    ['five consumers', { consumers: ['c1', 'c2', 'c3', 'c4', 'c5'] }, 26],
    ['a store', { storeKeys: ['id:1'] }, 21],
    ['five stores', { storeKeys: ['id:0', 'id:1', 'id:2', 'ref:1', 'ref:x'] }, 26],
    ['a consumer and a store', { consumers: ['c1'], storeKeys: ['id:1'] }, 21],
    ['consumers and stores', { consumers: ['c1', 'c2'], storeKeys: ['id:1', 'id:2'] }, 25],
    ['transaction ids', { transactionIds: ['t1', 't2', 't3'] }, 6],
    ['ids', { ids: ['a', 'b', 'c'] }, 6],
    ['ids and a consumer', { ids: ['a', 'b'], consumers: ['c1'] }, 6],
  ])('%s', async (_name, filter, keysMax) => {
    const { receipts } = process();
    for (const from of ['newest', 'oldest'] as const) {
      const range = { above: 500, upTo: 2_500, from, count: 21 };
      const find = jest.spyOn(collection, 'find');
      await receipts.list(retailer, filter, range, timeLimit());
      const [query, options] = find.mock.lastCall as [object, object];
      const read = collection.find(query, { ...options, raw: false, signal: undefined } as FindOptions);
      const { executionStats } = await read.explain('executionStats');
      expect(executionStats.totalKeysExamined).toBeLessThanOrEqual(keysMax + 1);
      expect(executionStats.totalDocsExamined).toBeLessThanOrEqual(keysMax + 1);
    }
  });
});
