import type { Collection } from 'mongodb';
import { startMongo, testDatabase, type Mongo, silentLog } from '@receipts/testing';
import { connectDatabase, type Database } from './connect-database';
import { isDuplicateKey } from './faults';
import { insertDocuments, insertError } from './insert-documents';

interface Thing {
  readonly _id: string;
  readonly name?: string | undefined;
}

const { signal } = new AbortController();

let mongo: Mongo;
let database: Database;
let things: Collection<Thing>;

beforeAll(async () => {
  mongo = await startMongo();
  const name = testDatabase();
  database = await connectDatabase({ uri: mongo.uri, database: name, service: 'test', log: silentLog });
});
afterAll(async () => {
  await database?.close();
  await mongo?.stop();
});
beforeEach(async () => {
  const unique = { name: 'by_name', key: { name: 1 }, unique: true, sparse: true } as const;
  things = await database.collection<Thing>({ name: 'things', indexes: [unique] });
  await things.deleteMany({});
});

const there = async () => (await things.find().toArray()).map(({ _id }) => _id).sort();

test('inserts all documents without their undefined members', async () => {
  const documents = [{ _id: 'a', name: 'one' }, { _id: 'b', name: undefined }, { _id: 'c' }];
  expect(await insertDocuments(things, documents, { ordered: false, signal })).toEqual([]);
  expect(await there()).toEqual(['a', 'b', 'c']);
  expect(await things.findOne({ _id: 'b' })).toEqual({ _id: 'b' });
});

test.each([
  [false, [1, 3], ['a', 'b', 'd']],
  [true, [1], ['a', 'b']],
])(
  'returns rejected documents, and calls back to decide whether to stop: %s',
  async (ordered, refused, left) => {
    await things.insertOne({ _id: 'a' });
    const documents = [{ _id: 'b', name: 'one' }, { _id: 'a' }, { _id: 'd' }, { _id: 'e', name: 'one' }];
    const failures = await insertDocuments(things, documents, { ordered, signal });
    expect(failures.map(({ index }) => index)).toEqual(refused);
    expect(failures.map((failure) => isDuplicateKey(failure))).toEqual(refused.map(() => true));
    expect(isDuplicateKey(failures[0], '_id_')).toBe(true);
    expect(isDuplicateKey(insertError(failures[0]!), '_id_')).toBe(true);
    expect(await there()).toEqual(left);
  },
);
