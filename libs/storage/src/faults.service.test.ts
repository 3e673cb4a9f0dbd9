import { MongoNetworkError, type Collection } from 'mongodb';
import { ServiceError, type Call } from '@receipts/kernel';
import { startMongo, testDatabase, type Mongo, silentLog } from '@receipts/testing';
import { connectDatabase, type Database } from './connect-database';
import {
  deadlineSignal,
  withStorageErrors,
  isDuplicateKey,
  toUnavailableError,
  writeErrorsByIndex,
} from './faults';

const patient = (ms: number) => ({ deadline: Date.now() + ms }) as Call;

async function thrownBy(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('when the database fails', () => {
  let mongo: Mongo;
  let database: Database;
  let collection: Collection<{ _id: string; number?: number }>;

  beforeAll(async () => {
    mongo = await startMongo({ isPrivate: true });
    database = await connectDatabase({
      uri: mongo.uri,
      database: testDatabase(),
      service: 'test',
      log: silentLog,
      poolSizeMax: 2,
    });
    const indexes = [{ name: 'by_number', key: { number: 1 }, unique: true, sparse: true } as const];
    collection = await database.collection({ name: 'things', indexes });
    await collection.insertOne({ _id: 'a', number: 1 });
  });
  afterAll(async () => {
    await database.close();
    await mongo.stop();
  });

  const writes: [string, (call: Call) => Promise<unknown>][] = [
    [
      'an insert',
      (call) => collection.insertOne({ _id: `x${Math.random()}` }, { signal: deadlineSignal(call) }),
    ],
    ['a find', (call) => collection.findOne({ _id: 'a' }, { signal: deadlineSignal(call) })],
    [
      'a bulk write',
      (call) => collection.insertMany([{ _id: `y${Math.random()}` }], { signal: deadlineSignal([call]) }),
    ],
    [
      'an update',
      (call) => collection.updateOne({ _id: 'a' }, { $set: { number: 1 } }, { signal: deadlineSignal(call) }),
    ],
  ];

  test('recognizes duplicates by index, in single and bulk writes', async () => {
    const one = await thrownBy(() => collection.insertOne({ _id: 'b', number: 1 }));
    expect([isDuplicateKey(one), isDuplicateKey(one, 'by_number'), isDuplicateKey(one, '_id_')]).toEqual([
      true,
      true,
      false,
    ]);
    expect(toUnavailableError(one)).toBeUndefined();

    const documents = [{ _id: 'c' }, { _id: 'a' }, { _id: 'd', number: 1 }, { _id: 'e' }];
    const many = await thrownBy(() => collection.insertMany(documents, { ordered: false }));
    const faults = writeErrorsByIndex(many);
    expect([...(faults?.keys() ?? [])].sort()).toEqual([1, 2]);
    expect(isDuplicateKey(faults?.get(1), '_id_')).toBe(true);
    expect(isDuplicateKey(faults?.get(2), 'by_number')).toBe(true);
    expect(await collection.findOne({ _id: 'e' })).not.toBeNull();
  });

  test.each(writes)(
    'returns 503 for %s on a frozen server when the caller gives up',
    async (_name, write) => {
      mongo.freeze(true);
      try {
        const begun = performance.now();
        const error = await thrownBy(() => withStorageErrors(() => write(patient(300))));
        expect(performance.now() - begun).toBeLessThan(15_000);
        expect(error).toBeInstanceOf(ServiceError);
        expect(error).toMatchObject({ status: 503, code: 'unavailable', headers: { 'retry-after': '1' } });
      } finally {
        mongo.freeze(false);
      }
      await expect(write(patient(30_000))).resolves.toBeDefined();
    },
  );

  test('rejects work that finds no free connection', async () => {
    mongo.freeze(true);
    try {
      const held = [1, 2, 3, 4].map(() =>
        thrownBy(() => collection.findOne({ _id: 'a' }, { signal: deadlineSignal(patient(30_000)) })),
      );
      const errors = await Promise.all(held);
      expect(errors.map((error) => toUnavailableError(error)?.status)).toEqual([503, 503, 503, 503]);
      expect(errors.map((error) => (error as Error).name)).toContain('MongoWaitQueueTimeoutError');
    } finally {
      mongo.freeze(false);
    }
  });

  test('returns 503 within the time limit while the server is down, and recovers', async () => {
    await mongo.kill();
    const begun = performance.now();
    const error = await thrownBy(() =>
      withStorageErrors(() =>
        collection.insertOne({ _id: 'later' }, { signal: deadlineSignal(patient(60_000)) }),
      ),
    );
    expect(performance.now() - begun).toBeLessThan(30_000);
    expect(error).toMatchObject({ status: 503 });
    await expect(database.ping()).rejects.toThrow();

    await mongo.start();
    for (let up = false; !up;)
      up = await database.ping().then(
        () => true,
        () => false,
      );
    expect(await collection.findOne({ _id: 'a' })).toMatchObject({ number: 1 });
  });
});

describe('faults', () => {
  test('that our code throws remain unchanged', async () => {
    expect(toUnavailableError(new TypeError('x'))).toBeUndefined();
    expect(toUnavailableError('x')).toBeUndefined();
    const own = new RangeError('x');
    await expect(withStorageErrors(() => Promise.reject(own))).rejects.toBe(own);
  });

  test('reveal no internals', () => {
    const fault = toUnavailableError(new MongoNetworkError('connect ECONNREFUSED 10.0.0.7:27017'));
    expect(JSON.stringify(fault?.toWire())).not.toContain('10.0.0.7');
    expect(fault?.cause).toBeInstanceOf(MongoNetworkError);
  });

  test('are thrown immediately if no time is left', () => {
    const now = Date.now();
    expect(deadlineSignal({ deadline: now }, now).aborted).toBe(true);
    expect(toUnavailableError(deadlineSignal({ deadline: now }, now).reason)).toMatchObject({ status: 503 });
    expect(deadlineSignal({ deadline: now + 60_000 }, now).aborted).toBe(false);
  });
});
