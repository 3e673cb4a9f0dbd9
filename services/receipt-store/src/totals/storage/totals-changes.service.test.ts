import type { Database } from '@receipts/storage';
import { openTestDatabase } from '@receipts/storage/testing';
import { startMongo, testDatabase, type Mongo } from '@receipts/testing';
import { openReceipts } from '../../storage/open-receipts';
import type { StoredReceipt } from '../../storage/receipt-document';
import { TotalsChanges } from './totals-changes';
import { totalsChangesCollection, type TotalsChange } from './totals-documents';

let mongo: Mongo;
let database: Database;
beforeAll(async () => {
  mongo = await startMongo();
  database = await openTestDatabase({ uri: mongo.uri, database: testDatabase() });
});
afterAll(async () => {
  await database.close();
  await mongo.stop();
});

test('numbers each change once after a process has crashed before it could release many of them', async () => {
  const { collection } = await openReceipts(database);
  const changes = await database.collection<TotalsChange>(totalsChangesCollection);
  const receipts = Array.from({ length: 60 }, (_, n) => ({
    _id: `receipt ${n}`,
    retailer: 'r',
    arrival: n + 1,
    version: 2,
    sale_history: { first: '1', pending: [{ version: 2, before: '1', after: `${n}` }] },
  })) as unknown as StoredReceipt[];
  await collection.insertMany(receipts);
  const totals = new TotalsChanges(collection, changes);
  const timeLimit = { deadline: Date.now() + 60_000 };
  await totals.number('r', timeLimit);
  // The state before the release.
  await collection.bulkWrite(
    receipts
      .slice(0, 50)
      .map((receipt) => ({ replaceOne: { filter: { _id: receipt._id }, replacement: receipt } })),
  );
  await totals.number('r', timeLimit);
  const numbered = await totals.after('r', 0, 100, timeLimit);
  expect(numbered.map(({ _id, n }) => [_id, n])).toEqual(receipts.map(({ _id }, i) => [`${_id}|2`, i + 1]));
  expect(await collection.countDocuments({ 'sale_history.pending': { $exists: true } })).toBe(0);
});
