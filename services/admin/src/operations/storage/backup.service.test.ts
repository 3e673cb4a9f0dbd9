import {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Mongo, startMongo } from '@receipts/testing';
import { Binary, BSONRegExp, Decimal128, Double, Int32, Long, MongoClient, ObjectId } from 'mongodb';
import { newId } from '@receipts/kernel';
import { backUp, restore, type BackupManifest } from './backup';

let mongo: Mongo;
let client: MongoClient;
let scratch: string;
let platform: string;

const count = 1_234;

beforeAll(async () => {
  mongo = await startMongo();
  client = await MongoClient.connect(mongo.uri);
});
afterAll(async () => {
  await client.close();
  await mongo.stop();
});
beforeEach(async () => {
  scratch = mkdtempSync(path.join(os.tmpdir(), 'backup-'));
  platform = `p${newId()}`;
  const receipts = client.db(`${platform}_receipt_store`).collection<{ _id: string; n: number }>('receipts');
  await receipts.insertMany(Array.from({ length: count }, (_, n) => ({ _id: `r${n}`, n, b: 'x'.repeat(n) })));
  await receipts.createIndex({ n: -1, _id: 1 }, { unique: true, name: 'order' });
  await receipts.createIndex({ b: 1 }, { partialFilterExpression: { n: { $gt: 5 } } });
  await client.db(`${platform}_delivery`).createCollection('empty');
  for (const owner of ['identifier', 'ingest', 'transform', 'admin']) {
    await client.db(`${platform}_${owner}`).createCollection('empty');
  }
  await client
    .db(`${platform}_delivery`)
    .collection('kinds')
    .insertOne({
      long: Long.fromNumber(5),
      int: new Int32(5),
      double: new Double(5),
      decimal: Decimal128.fromString('5.00'),
      date: new Date(0),
      binary: new Binary(Buffer.from([1, 2])),
      nothing: null,
      pattern: new BSONRegExp('a.b', 'i'),
      id: new ObjectId(),
      list: [{ a: [] }, 'é'],
    });
});
afterEach(async () => {
  for (const { name } of (await client.db().admin().listDatabases()).databases)
    if (name.startsWith(platform)) await client.db(name).dropDatabase();
  rmSync(scratch, { recursive: true });
});

const raw = async (database: string, collection: string) => {
  const found = await client
    .db(database)
    .collection(collection)
    .find({}, { raw: true, sort: { _id: 1 } })
    .toArray();
  return Buffer.concat(found as unknown as Buffer[]).toString('base64');
};

it('restores every document byte for byte, with its indexes, under another name', async () => {
  const folder = path.join(scratch, 'saved');
  const { collections } = await backUp(client, platform, folder);
  expect(collections.map(({ database, collection, documents }) => [database, collection, documents])).toEqual(
    [
      [`${platform}_delivery`, 'empty', 0],
      [`${platform}_delivery`, 'kinds', 1],
      [`${platform}_identifier`, 'empty', 0],
      [`${platform}_ingest`, 'empty', 0],
      [`${platform}_transform`, 'empty', 0],
      [`${platform}_admin`, 'empty', 0],
      [`${platform}_receipt_store`, 'receipts', count],
    ],
  );
  await restore(client, folder, `${platform}2`);
  for (const [database, collection] of [
    ['delivery', 'kinds'],
    ['receipt_store', 'receipts'],
  ] as const) {
    expect(await raw(`${platform}2_${database}`, collection)).toBe(
      await raw(`${platform}_${database}`, collection),
    );
  }
  const indexes = (name: string) =>
    client.db(`${name}_receipt_store`).collection('receipts').listIndexes().toArray();
  expect(await indexes(`${platform}2`)).toEqual(await indexes(platform));
  expect(await client.db(`${platform}2_delivery`).listCollections({ name: 'empty' }).toArray()).toHaveLength(
    1,
  );
});

it('ignores another platform whose name has the same prefix', async () => {
  await client.db(`${platform}_eu_receipt_store`).collection('receipts').insertOne({});
  const { collections } = await backUp(client, platform, path.join(scratch, 'saved'));
  expect(collections.filter(({ database }) => database.includes('_eu_'))).toEqual([]);
});

it('does not overwrite a folder or a platform', async () => {
  const folder = path.join(scratch, 'saved');
  await backUp(client, platform, folder);
  const files = readdirSync(folder);
  await expect(backUp(client, platform, folder)).rejects.toThrow('is not empty');
  expect(readdirSync(folder)).toEqual(files);
  await expect(restore(client, folder)).rejects.toThrow(`${platform}_delivery already exists`);
  await expect(backUp(client, 'nobody', path.join(scratch, 'none'))).rejects.toThrow(
    'the server lacks nobody_delivery, nobody_identifier',
  );
});

/** The client of a user who may only use one database, as a service's user. The server's list hides the others. */
function clientConfinedTo(database: string): MongoClient {
  const admin = { listDatabases: () => Promise.resolve({ databases: [{ name: database }] }) };
  const denied = (name: string) => () => ({
    toArray: () =>
      Promise.reject(new Error(`not authorized on ${name} to execute command { listCollections`)),
  });
  const db = (name = database) => {
    const real = client.db(name);
    const changes = { admin: () => admin, ...(name !== database && { listCollections: denied(name) }) };
    return new Proxy(real, {
      get: (target, key) => Reflect.get(Object.hasOwn(changes, key) ? changes : target, key) as unknown,
    });
  };
  return { db } as unknown as MongoClient;
}

it('fails for a user who may not use every database of the platform, and saves nothing', async () => {
  const folder = path.join(scratch, 'saved');
  const confined = clientConfinedTo(`${platform}_admin`);
  const denied = `cannot read ${platform}_delivery: not authorized`;
  await expect(backUp(confined, platform, folder)).rejects.toThrow(denied);
  expect(readdirSync(folder)).toEqual([]);
  await backUp(client, platform, folder);
  await expect(restore(confined, folder)).rejects.toThrow(denied);
});

it('fails if a database is missing, on the server or in the backup', async () => {
  const folder = path.join(scratch, 'saved');
  await backUp(client, platform, folder);
  await client.db(`${platform}_ingest`).dropDatabase();
  await expect(backUp(client, platform, path.join(scratch, 'other'))).rejects.toThrow(
    `the server lacks ${platform}_ingest`,
  );
  const file = path.join(folder, 'manifest.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as BackupManifest;
  const collections = manifest.collections.filter(({ database }) => database !== `${platform}_admin`);
  writeFileSync(file, JSON.stringify({ ...manifest, collections }));
  await expect(restore(client, folder, `${platform}2`)).rejects.toThrow(`the backup lacks ${platform}_admin`);
  expect(await client.db(`${platform}2_delivery`).listCollections().toArray()).toEqual([]);
});

it.each<[string, (file: string) => void]>([
  ['cut short', (file) => truncateSync(file, Math.floor(readFileSync(file).length / 2))],
  ['followed by other data', (file) => appendFileSync(file, 'more')],
])('reports a file that is %s', async (_what, damage) => {
  const folder = path.join(scratch, 'saved');
  await backUp(client, platform, folder);
  damage(path.join(folder, `${platform}_receipt_store/receipts.bson.gz`));
  await expect(restore(client, folder, `${platform}2`)).rejects.toThrow();
});

it('reports a missing document', async () => {
  const folder = path.join(scratch, 'saved');
  const other = path.join(scratch, 'other');
  await backUp(client, platform, folder);
  await client.db(`${platform}_receipt_store`).collection('receipts').deleteOne({});
  await backUp(client, platform, other);
  const file = `${platform}_receipt_store/receipts.bson.gz`;
  rmSync(path.join(folder, file));
  copyFileSync(path.join(other, file), path.join(folder, file));
  await expect(restore(client, folder, `${platform}2`)).rejects.toThrow(`${count - 1} of ${count} documents`);
});

it('compares before it creates indexes, because a TTL index deletes expired documents', async () => {
  const folder = path.join(scratch, 'saved');
  await backUp(client, platform, folder);
  const manifest = path.join(folder, 'manifest.json');
  const wrong = `"documents": ${count + 1}`;
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(`"documents": ${count}`, wrong));
  await expect(restore(client, folder, `${platform}2`)).rejects.toThrow(`${count} of ${count + 1} documents`);
  const restored = client.db(`${platform}2_receipt_store`).collection('receipts');
  expect(await restored.listIndexes().toArray()).toMatchObject([{ name: '_id_' }]);
});
