import { startMongo, testDatabase, type Mongo } from '@receipts/testing';
import { MongoClient, type Collection, type Document } from 'mongodb';
import {
  compile,
  keyOfStoreId,
  parseQuery,
  receiptFields,
  searchDocument,
  searchIndexes,
  singleValueIndexes,
} from './index';

/** Enough receipts for a full scan to be noticeable. */
const receiptCount = 400;
const fields = receiptFields();

const receiptOf = (i: number) => ({
  transaction_id: `T-${1000 + i}`,
  timestamp: new Date(Date.UTC(2024, 0, 1 + i)).toISOString(),
  identifier: `jo${i}@example.com`,
  store_id: i + 1,
  total: i,
  store_reference: String(i),
  items: [
    {
      name: `Shirt model${i}`,
      quantity: 1,
      total: i + 0.5,
      properties: { product_code: `P${i}`, details: [`batch ${i}x`] },
      return: i === 7 ? { localtime: '2024-05-05', reason: 'torn' } : null,
    },
  ],
  payments: [{ method: 'card', amount: i, number: String(1000 + i) }],
});

let mongo: Mongo;
let client: MongoClient;
let collection: Collection<Document>;

beforeAll(async () => {
  mongo = await startMongo();
  client = await MongoClient.connect(mongo.uri);
  collection = client.db(testDatabase('search')).collection('receipts');
  for (const { key, name } of [...searchIndexes, ...singleValueIndexes(fields)])
    await collection.createIndex({ ...key }, { name });
  await collection.createIndex({ retailer: 1, identifier: 1, arrival: 1 });
  await collection.createIndex({ retailer: 1, store_key: 1, arrival: 1 });
  await collection.insertMany(
    Array.from({ length: receiptCount }, (_, arrival) => ({
      retailer: 'demo',
      arrival,
      identifier: receiptOf(arrival).identifier,
      store_key: keyOfStoreId(receiptOf(arrival).store_id),
      search: searchDocument(fields, receiptOf(arrival)),
    })),
  );
});

afterAll(async () => {
  await client?.close();
  await mongo?.stop();
});

test.each([
  ['items.name:model7', 1],
  ['items.name:model7*', 11],
  ['items.name:"shirt model7"', 1],
  ['items.name:"model7 shirt"~2', 1],
  ['items.name:(model7 model8)', 2],
  ['+items.name:shirt +items.name:model7', 1],
  ['transaction_id:1007', 1],
  ['identifier:jo7@exam', 1],
  ['identifier.exact:jo7@example.com', 1],
  ['identifier.exact:jo7*', 11],
  ['timestamp:2024-01-08', 1],
  ['timestamp:[2024-01-08 TO 2024-01-10}', 2],
  ['total:7', 1],
  ['total:{6 TO 9}', 2],
  ['items.total:7.5', 1],
  ['items.return:*', 1],
  ['items.return.reason:torn', 1],
  ['items.return.localtime:2024-05', 1],
  ['items.properties.product_code:P7', 1],
  ['items.properties.details:7x', 1],
  ['payments.number:1007', 1],
  ['store_reference:7', 1],
  ['+items.name:model7 -payments.method:cash', 1],
])('reads only the hits of %s', async (text, hits) => {
  const { filter } = await compile(parseQuery(text), fields, { words: async () => [] });
  const plan = await collection
    .find({ retailer: 'demo', ...filter })
    .sort({ arrival: -1 })
    .explain('executionStats');
  const { nReturned, totalDocsExamined } = plan['executionStats'] as Record<string, number>;
  expect({ nReturned, totalDocsExamined }).toEqual({ nReturned: hits, totalDocsExamined: hits });
});

test.each([
  ['items.name:mod*', 400],
  ['items.properties.product_code:*', 400],
  ['items.return.reason:*', 1],
  ['identifier.exact:jo7* items.return.reason:*', 11],
  ['payments.number:1*', 400],
  ['items.total:[7 TO 19.5}', 12],
  ['items.total:{7.5 TO *]', 392],
  ['items.total:[* TO 3]', 3],
])('counts the hits of %s without reading them', async (text, hits) => {
  const { tally } = await compile(parseQuery(text), fields, { words: async () => [] });
  expect(tally.minus).toEqual([]);
  const match = { retailer: 'demo', ...tally.plus[0] };
  expect(await collection.countDocuments(match)).toBe(hits);
  const plan = await collection
    .aggregate([{ $match: match }, { $group: { _id: 1, n: { $sum: 1 } } }])
    .explain('executionStats');
  expect((plan['executionStats'] as Document)['totalDocsExamined']).toBe(0);
});
