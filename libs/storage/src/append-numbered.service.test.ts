import { newId } from '@receipts/kernel';
import { startMongo, testDatabase, type Mongo } from '@receipts/testing';
import type { Collection } from 'mongodb';
import { appendNumbered } from './append-numbered';
import type { Database } from './connect-database';
import { openTestDatabase } from './testing/open-test-database';

interface Entry {
  readonly _id: string;
  readonly log: string;
  readonly n: number;
  readonly name?: string;
}

let mongo: Mongo;
let database: Database;
let entries: Collection<Entry>;

beforeAll(async () => {
  mongo = await startMongo();
  database = await openTestDatabase({ uri: mongo.uri, database: testDatabase() });
});
afterAll(async () => {
  await database.close();
  await mongo.stop();
});
beforeEach(async () => {
  entries = await database.collection<Entry>({
    name: `entries_${newId()}`,
    indexes: [
      { name: 'order', key: { log: 1, n: 1 }, unique: true },
      { name: 'by_name', key: { name: 1 }, unique: true, partial: { name: { $exists: true } } },
    ],
  });
});

const append = (ids: readonly string[], more: object = {}) =>
  appendNumbered<Entry>({
    collection: entries,
    documents: ids.map((_id) => ({ _id, log: 'a', ...more })),
    numberField: 'n',
    indexName: 'order',
    last: async () => (await entries.findOne({ log: 'a' }, { sort: { n: -1 } }))?.n ?? 0,
    signal: () => AbortSignal.timeout(60_000),
  });
const stored = async () => (await entries.find().sort({ n: 1 }).toArray()).map(({ _id, n }) => [n, _id]);

it('leaves no gaps with concurrent writers, and stores each document once', async () => {
  const ids = Array.from({ length: 40 }, (_, n) => `entry ${n}`);
  const batches = Array.from({ length: 8 }, (_, n) => ids.slice(n * 5, n * 5 + 10));
  await Promise.all(batches.map((batch) => append(batch)));
  const found = await stored();
  expect(found.map(([n]) => n)).toEqual(ids.map((_, n) => n + 1));
  expect(found.map(([, id]) => id).sort()).toEqual([...ids].sort());
});

it('leaves out the documents that exist already, however many they are', async () => {
  const ids = Array.from({ length: 200 }, (_, n) => `entry ${n}`);
  await append(ids);
  await append([...ids, 'new']);
  expect(await stored()).toEqual([...ids, 'new'].map((id, n) => [n + 1, id]));
});

it('throws the error of another unique index', async () => {
  await append(['one'], { name: 'taken' });
  await expect(append(['two'], { name: 'taken' })).rejects.toThrow('by_name');
  expect(await stored()).toEqual([[1, 'one']]);
});
