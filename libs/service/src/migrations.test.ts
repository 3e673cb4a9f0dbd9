import { startMongo, testDatabase, type Mongo, silentLog } from '@receipts/testing';
import { connectDatabase, type Database, type LeaseDocument } from '@receipts/storage';
import { migrate, type Migration, type MigrationDocument } from './migrations';

let mongo: Mongo;
let database: Database;

beforeAll(async () => {
  mongo = await startMongo();
});
beforeEach(async () => {
  database = await connectDatabase({
    uri: mongo.uri,
    database: testDatabase('storage'),
    service: 'test',
    log: silentLog,
  });
});
afterEach(() => database.close());
afterAll(() => mongo.stop());

/** Runs migrations as a process of a service does. */
async function start(...migrations: readonly Migration[]): Promise<void> {
  const records = await database.collection<MigrationDocument>({ name: 'migrations', indexes: [] });
  const leases = await database.collection<LeaseDocument>({ name: 'leases', indexes: [] });
  await migrate({ migrations, records, leases, database, log: silentLog });
}

const record = (name: string) =>
  database.db.collection<MigrationDocument>('migrations').findOne({ _id: name });

/** Three pages, whose cursors are `a` and `b`. */
const next = new Map<string | null, string | null>([
  [null, 'a'],
  ['a', 'b'],
  ['b', null],
]);

function paged(done: (string | null)[], change: Partial<Migration> = {}): Migration {
  return {
    name: 'of a test',
    open: () =>
      Promise.resolve((after) => {
        done.push(after);
        return Promise.resolve(next.get(after) as string | null);
      }),
    ...change,
  };
}

it('runs each page once', async () => {
  const done: (string | null)[] = [];
  const other: (string | null)[] = [];
  const migrations = [paged(done), paged(other, { name: 'another' })];
  await start(...migrations);
  expect(done).toEqual([null, 'a', 'b']);
  expect(await record('of a test')).toEqual({ _id: 'of a test', after: null, isDone: true });
  await start(...migrations);
  expect([done, other]).toEqual([
    [null, 'a', 'b'],
    [null, 'a', 'b'],
  ]);
});

it('runs in one process at a time, while the others wait until it is done', async () => {
  const done: (string | null)[] = [];
  const working = { now: 0, most: 0 };
  const slow = paged(done, {
    open: async () => async (after) => {
      working.most = Math.max(working.most, ++working.now);
      await database.ping();
      working.now--;
      done.push(after);
      return next.get(after) as string | null;
    },
  });
  await Promise.all(
    [1, 2, 3].map(async () => {
      await start(slow);
      expect(await record('of a test')).toMatchObject({ isDone: true });
    }),
  );
  expect(done).toEqual([null, 'a', 'b']);
  expect(working.most).toBe(1);
});

it('continues where a process has failed', async () => {
  const done: (string | null)[] = [];
  const failing = paged(done, {
    open: () =>
      Promise.resolve((after) =>
        after === 'a'
          ? Promise.reject(new Error('no'))
          : paged([])
              .open(database, silentLog)
              .then((page) => page(after)),
      ),
  });
  await expect(start(failing)).rejects.toThrow('no');
  await start(paged(done));
  expect(done).toEqual(['a', 'b']);
});
