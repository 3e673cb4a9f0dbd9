import { silentLog, startMongo, testDatabase, type Mongo } from '@receipts/testing';
import type { Collection } from 'mongodb';
import type { CollectionDeclaration } from './collection';
import { CollectionWatch } from './collection-watch';
import type { Database } from './connect-database';
import { openTestDatabase } from './testing/open-test-database';

const things: CollectionDeclaration = {
  name: 'things',
  indexes: [{ name: 'by_number', key: { number: 1 }, unique: true }],
};

let mongo: Mongo;
let database: Database;
let watch: CollectionWatch;
let collection: Collection<{ number: number }>;
let losses: number;

beforeAll(async () => {
  mongo = await startMongo();
});
afterAll(() => mongo.stop());
beforeEach(async () => {
  database = await openTestDatabase({ uri: mongo.uri, database: testDatabase() });
  collection = await database.collection(things);
  watch = new CollectionWatch(database.db, (declaration) => database.collection(declaration), silentLog);
  watch.add(things);
  losses = 0;
  watch.onLoss(() => losses++);
  await watch.check();
});
afterEach(async () => {
  await watch.stop();
  await database.close();
});

const indexes = async () => (await collection.listIndexes().toArray()).map(({ name }) => name as string);

test('recreates the indexes of a dropped collection, whether it has been written to since or not', async () => {
  await collection.drop();
  await watch.check();
  expect(await indexes()).toEqual(['_id_', 'by_number']);
  await collection.drop();
  await collection.insertOne({ number: 1 });
  expect(await indexes()).toEqual(['_id_']);
  await watch.check();
  expect(await indexes()).toEqual(['_id_', 'by_number']);
  expect(losses).toBe(2);
  await watch.check();
  expect(losses).toBe(2);
});

test('looks for missing data, but changes nothing, when a collection was moved with its documents and indexes', async () => {
  await collection.insertOne({ number: 1 });
  await collection.drop();
  await database.collection(things);
  await collection.insertOne({ number: 1 });
  await watch.check();
  expect([await indexes(), await collection.countDocuments(), losses]).toEqual([['_id_', 'by_number'], 1, 1]);
  await watch.check();
  expect(losses).toBe(1);
});

test('retries an index that cannot be created', async () => {
  await collection.drop();
  await collection.insertMany([{ number: 1 }, { number: 1 }]);
  await expect(watch.check()).rejects.toThrow('duplicate key');
  expect([await indexes(), losses]).toEqual([['_id_'], 0]);
  await collection.deleteOne({ number: 1 });
  await watch.check();
  expect([await indexes(), losses]).toEqual([['_id_', 'by_number'], 1]);
});
