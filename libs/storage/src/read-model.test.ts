import type { Collection } from 'mongodb';
import { startMongo, testDatabase, type Mongo, silentLog } from '@receipts/testing';
import { toUnavailableError } from './faults';
import type { Database } from './connect-database';
import { ReadModel, type ReadModelDocument } from './read-model';
import { openTestDatabase } from './testing/open-test-database';

interface Shop {
  readonly retailer: string;
  readonly id: string;
  readonly reference: number;
  readonly version: number;
  readonly name: string;
}

const shop = (id: string, version: number, more: Partial<Shop> = {}): Shop => ({
  retailer: 'r',
  id,
  reference: Number(id),
  version,
  name: `shop ${id} at ${version}`,
  ...more,
});

async function* pages(...list: Shop[][]): AsyncGenerator<Shop[]> {
  for (const page of list) yield await Promise.resolve(page);
}

const options = {
  name: 'shops',
  key: ({ retailer, id }: Shop) => `${retailer}/${id}`,
  lookups: { reference: ({ retailer, reference }: Shop) => `${retailer}/${reference}` },
  log: silentLog,
};

let mongo: Mongo;
let database: Database;
let collection: Collection<ReadModelDocument<Shop>>;
let names = 0;
beforeAll(async () => {
  mongo = await startMongo();
  database = await openTestDatabase({ uri: mongo.uri, database: testDatabase(), poolSizeMax: 8 });
});
afterAll(async () => {
  await database.close();
  await mongo.stop();
});
beforeEach(async () => {
  collection = await database.collection({ name: `shops_${names++}`, indexes: [] });
});

describe('in memory', () => {
  test('keeps the newest version, regardless of order and redelivery', async () => {
    const versions = [1, 2, 3, 4, 5];
    for (const order of [
      [1, 2, 3, 4, 5],
      [5, 4, 3, 2, 1],
      [3, 1, 5, 5, 2, 4, 1],
    ]) {
      const model = new ReadModel({ ...options, collection });
      for (const version of order) await model.apply([shop('1', version)]);
      expect(model.get('r/1')?.version).toBe(Math.max(...versions));
      expect(model.size).toBe(1);
    }
    const model = new ReadModel({ ...options, collection });
    expect(await model.apply([shop('1', 2), shop('1', 3), shop('1', 1)])).toEqual([shop('1', 3)]);
    expect(await model.apply([shop('1', 3)])).toEqual([]);
  });

  test('finds values by their lookups, even after a key has moved to another value', async () => {
    const model = new ReadModel({ ...options, collection });
    await model.apply([shop('1', 1, { reference: 7 })]);
    await model.apply([shop('2', 1, { reference: 7 }), shop('1', 2, { reference: 8 })]);
    expect(model.find('reference', 'r/7')?.id).toBe('2');
    expect(model.find('reference', 'r/8')?.id).toBe('1');
    await model.apply([shop('2', 2, { reference: 9 })]);
    expect(model.find('reference', 'r/7')).toBeUndefined();
    expect(() => model.find('name', 'x')).toThrow('no lookup');
  });

  test('adopts a snapshot page by page', async () => {
    const model = new ReadModel({ ...options, collection });
    await model.apply([shop('1', 9)]);
    expect(await model.reconcile(pages([shop('1', 3), shop('2', 1)], [shop('3', 1)]))).toBe(2);
    expect([...model.values()].map(({ id, version }) => [id, version])).toEqual([
      ['1', 9],
      ['2', 1],
      ['3', 1],
    ]);
  });
});

describe('in the collection', () => {
  test('is loaded again after a restart', async () => {
    const before = new ReadModel({ ...options, collection });
    await before.apply([shop('1', 1), shop('2', 4)]);
    await before.apply([shop('1', 2)]);
    const after = new ReadModel({ ...options, collection });
    expect(await after.load()).toBe(2);
    expect(after.get('r/1')).toEqual(shop('1', 2));
    expect(after.find('reference', 'r/2')).toEqual(shop('2', 4));
  });

  test('never stores an older version, regardless of other processes', async () => {
    const copies = [1, 2, 3].map(() => new ReadModel({ ...options, collection }));
    const versions = Array.from({ length: 20 }, (_, i) => i + 1);
    /** Retries like a redelivered event that found no free connection in time. */
    const applied = async (version: number): Promise<void> => {
      try {
        await copies[version % copies.length]?.apply([shop('1', version), shop('2', version)]);
      } catch (error) {
        if (!toUnavailableError(error)) throw error;
        await applied(version);
      }
    };
    await Promise.all(versions.map(applied));
    const restarted = new ReadModel({ ...options, collection });
    await restarted.load();
    expect([restarted.get('r/1')?.version, restarted.get('r/2')?.version]).toEqual([20, 20]);
  });

  test('keeps no values in memory that it could not store', async () => {
    let isBroken = true;
    const flaky = new Proxy(collection, {
      get: (target, name, receiver) =>
        name === 'bulkWrite' && isBroken
          ? () => Promise.reject(new Error('lost'))
          : (Reflect.get(target, name, receiver) as unknown),
    });
    const model = new ReadModel({ ...options, collection: flaky });
    await expect(model.apply([shop('1', 1)])).rejects.toThrow('lost');
    expect(model.get('r/1')).toBeUndefined();
    isBroken = false;
    expect(await model.apply([shop('1', 1)])).toHaveLength(1);
  });
});
