import { PeriodicTask } from '@receipts/concurrency';
import { crashProcess } from '@receipts/kernel';
import { silentLog, startMongo, testDatabase, type Mongo } from '@receipts/testing';
import { watchDatabase } from './database-watchdog';
import { openTestDatabase } from './testing/open-test-database';

jest.mock('./database-watchdog');
const watchdogs = jest.mocked(watchDatabase);

let mongo: Mongo;
beforeAll(async () => {
  mongo = await startMongo();
});
afterAll(() => mongo.stop());

test.each([
  ['ends the process', undefined, crashProcess],
  ["calls the owner's handler", jest.fn(), undefined],
])('%s in a process that gives up on the database', async (_, giveUp, usual) => {
  const run = () => Promise.resolve();
  watchdogs
    .mockReset()
    .mockReturnValue(new PeriodicTask({ everyMs: 60_000, run, log: silentLog, failure: '' }));
  const database = await openTestDatabase({
    uri: mongo.uri,
    database: testDatabase(),
    ...(giveUp && { giveUp }),
  });
  await database.close();
  expect(watchdogs.mock.calls.map(([options]) => options.giveUp)).toEqual([giveUp ?? usual]);
});
