import type { Collection } from 'mongodb';
import { startDatabase } from '@receipts/testing';
import { toUnavailableError, type Database } from '@receipts/storage';
import { storedCopy, type CopyDocument } from './stored-copy';

interface Shop {
  readonly id: string;
  readonly version: number;
}

const shop = (id: string, version: number): Shop => ({ id, version });

let database: Database;
let collection: Collection<CopyDocument<Shop>>;
let names = 0;
beforeAll(async () => {
  database = await startDatabase('test', { poolSizeMax: 8 });
});
afterAll(() => database.close());
beforeEach(async () => {
  collection = await database.collection({ name: `shops_${names++}`, indexes: [] });
});

const opened = () => storedCopy(collection, ({ id }: Shop) => id);

async function loaded(): Promise<Shop[]> {
  const found: Shop[] = [];
  for await (const record of opened().load()) found.push(record);
  return found.sort((a, b) => (a.id < b.id ? -1 : 1));
}

test('loads what another process has saved', async () => {
  await opened().save([shop('1', 1), shop('2', 4)]);
  await opened().save([shop('1', 2)]);
  expect(await loaded()).toEqual([shop('1', 2), shop('2', 4)]);
});

test('never saves an older version, regardless of other processes', async () => {
  const copies = [1, 2, 3].map(opened);
  const versions = Array.from({ length: 20 }, (_, i) => i + 1);
  /** Retries like a redelivered event that found no free connection in time. */
  const saved = async (version: number): Promise<void> => {
    try {
      await copies[version % copies.length]?.save([shop('1', version), shop('2', version)]);
    } catch (error) {
      if (!toUnavailableError(error)) throw error;
      await saved(version);
    }
  };
  await Promise.all(versions.map(saved));
  expect(await loaded()).toEqual([shop('1', 20), shop('2', 20)]);
});
