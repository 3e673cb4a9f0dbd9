import { startMongo, testDatabase, until, type Mongo, silentLog } from '@receipts/testing';
import { connectDatabase, type Database } from './connect-database';
import type { LeaseDocument } from './lease';
import { Migrations, type Migration, type MigrationDocument } from './migrations';

let mongo: Mongo;
let database: Database;

beforeAll(async () => {
  mongo = await startMongo();
}, 60_000);
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

/** Represents one process of a service. */
async function process(...migrations: readonly Migration[]): Promise<Migrations> {
  const records = await database.collection<MigrationDocument>({ name: 'migrations', indexes: [] });
  const leases = await database.collection<LeaseDocument>({ name: 'leases', indexes: [] });
  return new Migrations({ migrations, records, leases, database, log: silentLog });
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
  await (await process(...migrations)).beforeServing();
  expect(done).toEqual([null, 'a', 'b']);
  expect(await record('of a test')).toEqual({ _id: 'of a test', after: null, isDone: true });
  await (await process(...migrations)).beforeServing();
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
  const processes = await Promise.all([process(slow), process(slow), process(slow)]);
  await Promise.all(
    processes.map(async (one) => {
      await one.beforeServing();
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
  await expect((await process(failing)).beforeServing()).rejects.toThrow('no');
  await (await process(paged(done))).beforeServing();
  expect(done).toEqual(['a', 'b']);
});

it('is retried while the service runs, until it succeeds or the service stops', async () => {
  const done: (string | null)[] = [];
  let faults = 1;
  const meanwhile = paged(done, {
    whileServing: true,
    open: () => (faults-- > 0 ? Promise.reject(new Error('no')) : paged(done).open(database, silentLog)),
  });
  const migrations = await process(meanwhile, {
    name: 'never',
    whileServing: true,
    open: () => Promise.reject(new Error('never')),
  });
  await migrations.beforeServing();
  expect(done).toEqual([]);
  migrations.start();
  await until('it is done', async () => (await record('of a test'))?.isDone === true);
  expect(done).toEqual([null, 'a', 'b']);
  await migrations.stop();
  expect(await record('never')).toBeNull();
});
