import { newId } from '@receipts/kernel';
import type { Database } from '@receipts/storage';
import { startDatabase, silentLog } from '@receipts/testing';
import { openReceipts } from '../../storage/open-receipts';
import { openTotals } from './open-totals';

let database: Database;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

test('a retailer whose rebuild fails does not block the others, and is left to the next run', async () => {
  const warn = jest.fn();
  const { collection, receipts } = await openReceipts(database);
  let failing: string | undefined;
  const { rebuild, totals, schedule } = await openTotals({
    database,
    collection,
    receipts: {
      async lastNumber(retailer, timeLimit) {
        if (retailer === failing) throw new Error('away');
        return receipts.lastNumber(retailer, timeLimit);
      },
    },
    lease: { acquire: async () => true, release: async () => undefined },
    log: { ...silentLog, warn },
  });
  const retailers = ['r-1', 'r-2', 'r-3'];
  const timeLimit = { deadline: Date.now() + 600_000 };
  for (const retailer of retailers) await totals.progress(retailer, timeLimit);
  const generations = () =>
    Promise.all(retailers.map(async (retailer) => (await totals.progress(retailer, timeLimit)).generation));

  failing = 'r-1';
  const generation = newId();
  await rebuild.request(generation);
  await rebuild.task.run();
  expect(await generations()).toEqual([expect.not.stringContaining(generation), generation, generation]);
  expect(warn.mock.calls).toEqual([[expect.any(String), expect.objectContaining({ retailer: failing })]]);

  failing = undefined;
  await rebuild.task.run();
  expect(await generations()).toEqual([generation, generation, generation]);
  await schedule.stop();
});
