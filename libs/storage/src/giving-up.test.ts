import { crashProcess } from '@receipts/kernel';
import { silentLog } from '@receipts/testing';
import { connectDatabase } from './connect-database';
import { DatabaseWatchdog } from './database-watchdog';

jest.mock('./database-watchdog');
const watchdogs = jest.mocked(DatabaseWatchdog);

const nowhere = {
  uri: 'mongodb://127.0.0.1:9/?directConnection=true&serverSelectionTimeoutMS=100',
  database: 'nowhere',
  service: 'test',
  log: silentLog,
  connectTimeoutMs: 1,
};

test.each([
  ['ends the process', undefined, crashProcess],
  ['does what its owner wants', jest.fn(), undefined],
])('a process that gives the database up %s', async (_, giveUp, usual) => {
  watchdogs.mockClear();
  await expect(connectDatabase({ ...nowhere, ...(giveUp && { giveUp }) })).rejects.toThrow();
  expect(watchdogs.mock.calls.map(([options]) => options.giveUp)).toEqual([giveUp ?? usual]);
});
