import type { Collection, FindOptions } from 'mongodb';
import { newId } from '@receipts/kernel';
import {
  compile,
  keyOfStoreId,
  parseQuery,
  rankingTiers,
  receiptFields,
  searchDocument,
  type CompiledQuery,
  type Filter,
} from '@receipts/search-language';
import type { Scope } from '@receipts/search';
import type { Database } from '@receipts/storage';
import { startDatabase } from '@receipts/testing';
import { receiptCollection, type StoredReceipt } from './receipt-document';
import { ReceiptSearch } from './receipt-search';

const receiptCount = 2_000;
const fields = receiptFields();
const retailer = newId();
const scope = { retailer, consumers: undefined };
const timeLimit = () => ({ deadline: Date.now() + 60_000 });

let database: Database;
let collection: Collection<StoredReceipt>;
let search: ReceiptSearch;

/** The number of documents that the database examines for a page of 20. */
async function documentsRead(
  within: Scope,
  filter: Filter,
  sort: 'sold' | 'arrived' = 'arrived',
): Promise<number> {
  const find = jest.spyOn(collection, 'find');
  const page = { sort, beyond: undefined, direction: 'older', limit: 20 } as const;
  search.inOrder(within, { filter } as CompiledQuery, page, timeLimit());
  const [query, options] = find.mock.lastCall as [object, object];
  const read = collection.find(query, { ...options, signal: undefined } as FindOptions);
  const { executionStats } = await read.explain('executionStats');
  return (executionStats as { totalDocsExamined: number }).totalDocsExamined;
}

/** A word in every tenth receipt is frequent enough to fill a page; one in every five-hundredth receipt is rare. */
function receiptOf(arrival: number, owner: string): StoredReceipt {
  const id = newId();
  const record = {
    id,
    transaction_id: `t${arrival}`,
    timestamp: new Date(Date.UTC(2024, 0, 1) + arrival * 60_000).toISOString(),
    identifier: `c${arrival % 50}@example.com`,
    total: arrival / 10,
    store_id: 1 + (arrival % 2),
    items: [
      {
        name: `shirt ${arrival % 10 === 0 ? 'tenth cotton' : 'plain'} ${arrival % 500 === 0 ? 'rare' : 'usual'}`,
        quantity: 1 + (arrival % 3),
        total: arrival % 100,
        properties: { product_code: `P${arrival % 200}` },
        ...(arrival % 100 === 0 && { return: { localtime: '2024-05-05', reason: 'torn' } }),
      },
    ],
    payments: [{ method: arrival % 4 === 0 ? 'cash' : 'card' }],
  };
  return {
    _id: id,
    retailer: owner,
    arrival,
    version: 1,
    transaction_id: record.transaction_id,
    identifier: record.identifier,
    store_key: keyOfStoreId(record.store_id),
    origin: id,
    text: JSON.stringify(record),
    search: searchDocument(fields, record),
  };
}

beforeAll(async () => {
  database = await startDatabase();
  collection = await database.collection<StoredReceipt>(receiptCollection);
  const other = newId();
  for (const owner of [retailer, other]) {
    const receipts = Array.from({ length: receiptCount }, (_, i) => receiptOf(i + 1, owner));
    // Few enough for a slow machine to write them within the time limit of a command.
    for (let at = 0; at < receiptCount; at += 100) await collection.insertMany(receipts.slice(at, at + 100));
  }
  search = new ReceiptSearch(collection);
});

afterAll(() => database.close());

const compiled = (text: string): Promise<CompiledQuery> =>
  compile(parseQuery(text), fields, { words: (_code, word) => Promise.resolve([word, 'shirt']) });

/** The maximum number of receipts read for a page of twenty: the hits, or a range of the newest receipts. */
describe('the cost of a page', () => {
  test.each([
    ['a frequent word', 'items.name:shirt', 20],
    ['a rare word', 'items.name:rare', 4],
    ['similar words', 'items.name:shrit~', 20],
    ['the beginning of a word', 'items.name:rar*', 4],
    ['two required words', '+items.name:cotton +items.name:rare', 4],
    ['a phrase', 'items.name:"cotton rare"', 200],
    ['a word, excluding another word', '+items.name:rare -items.name:plain', 4],
    ['an exact value', 'items.properties.product_code:P7', 10],
    ['the beginning of an exact value', 'identifier.exact:c7@*', 40],
    ['existence', 'items.return:*', 20],
    ['a payment method', 'payments.method:cash', 20],
    ['a number', 'total:7', 1],
    ['a narrow range', 'total:[7 TO 8]', 11],
    ['a wide range', 'total:[0 TO 190]', 150],
    ['a point in time', 'timestamp:2024-01-01T05:00', 1],
    ['a time range', 'timestamp:[2024-01-01T05:00 TO 2024-01-01T05:19]', 20],
    ['a store', 'store_id:1', 20],
    ['a number of an item', 'items.total:7', 20],
    ['a common number', 'items.quantity:2', 70],
    ['excluding a word', '-items.name:cotton', 40],
    ['excluding a rare word', '-items.name:rare', 30],
  ])('%s', async (_what, text, documentsMax) => {
    const ranking = rankingTiers(await compiled(text));
    if (ranking.kind !== 'tiers') throw new Error('too many conditions for tiers');
    expect(await documentsRead(scope, ranking.tiers[0] ?? {})).toBeLessThanOrEqual(documentsMax);
  });

  test.each(['sold', 'arrived'] as const)('all receipts as %s', async (sort) => {
    expect(await documentsRead(scope, {}, sort)).toBeLessThanOrEqual(40);
  });

  test.each(['items.name:shirt', 'total:[7 TO 8]', '+items.name:cotton +total:[50 TO 60]'])(
    '%s of one consumer',
    async (text) => {
      const { filter } = await compiled(text);
      const consumers = ['c20@example.com'];
      expect(await documentsRead({ retailer, consumers }, filter)).toBeLessThanOrEqual(40);
    },
  );
});

test.each([
  ['items.name:shirt', receiptCount],
  ['items.name:rare', 4],
  ['payments.method:cash', 500],
  ['total:[* TO *]', receiptCount],
  ['total:[10 TO 19.9]', 100],
  ['store_id:2', 1_000],
  ['timestamp:2024-01-02', receiptCount - 24 * 60 + 1],
  ['items.quantity:1', 666],
  ['items.quantity:[1 TO 2]', 1_333],
  ['items_length:1', receiptCount],
  ['discounts_length:0', receiptCount],
  ['-items.return:*', receiptCount - 20],
  ['-items.name:rare', receiptCount - 4],
  ['-items.name:rare -items.name:cotton', receiptCount - 200],
])('counts %s exactly', async (text, hits) => {
  const found = await search.find(scope, await compiled(text), { offset: 0, count: 1 }, timeLimit());
  expect(found).toMatchObject({ hits, relation: 'eq', records: [{ _id: expect.any(String) as string }] });
});

test.each([
  ['a word', 'items.name:shirt'],
  ['a payment method', 'payments.method:cash'],
  ['a time range', 'timestamp:[2024-01-01 TO 2024-01-02]'],
  ['a range of totals', 'total:[10 TO 190]'],
  ['a store', 'store_id:2'],
  ['the existence of a number', 'total:*'],
  ['an item number', 'items.total:7'],
  ['a range of item numbers', 'items.total:[7 TO 20]'],
  ['a rare number', 'items.quantity:7'],
  ['the beginning of a word', 'items.name:rar*'],
  ['the existence of a value', 'items.properties.product_code:*'],
])('counts %s without reading receipts', async (_what, text) => {
  const { tally } = await compiled(text);
  expect([tally.plus.length, tally.minus.length]).toEqual([1, 0]);
  const plan = (await collection
    .aggregate([{ $match: { retailer, ...tally.plus[0] } }, { $group: { _id: 1, n: { $sum: 1 } } }])
    .explain('executionStats')) as { executionStats?: { totalDocsExamined: number } };
  const stats =
    plan.executionStats ??
    (plan as { stages?: { $cursor?: { executionStats: { totalDocsExamined: number } } }[] }).stages?.[0]
      ?.$cursor?.executionStats;
  expect(stats?.totalDocsExamined).toBe(0);
});
