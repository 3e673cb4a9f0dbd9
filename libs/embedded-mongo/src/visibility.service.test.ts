import { rmSync } from 'node:fs';
import { MongoClient, type Collection } from 'mongodb';
import { startEmbeddedMongo, type EmbeddedMongo } from './index';
import { Storage } from './store/storage';
import { WriteLog } from './store/write-log';
import { WriteQueue } from './store/write-queue';
import { errorOf, temporaryFolder, until } from './testing/server';

/** Readers must not see any part of a write in progress until all of it has been applied and is on disk. */

interface Doc {
  _id: number;
  text?: string;
  tags?: string[];
}

let folder: string;
let server: EmbeddedMongo;
let client: MongoClient;
let c: Collection<Doc>;

beforeEach(async () => {
  folder = temporaryFolder();
  server = await startEmbeddedMongo({ path: folder, checkpoint: { ms: 1e9 } });
  client = await new MongoClient(server.uri, { retryReads: false }).connect();
  c = client.db('d').collection<Doc>('c');
});
afterEach(async () => {
  jest.restoreAllMocks();
  await client.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Holds back log records until `release`, which may also make them fail. */
function heldLog(): { waiting: () => number; release: (error?: Error) => void } {
  const append = Object.getOwnPropertyDescriptor(WriteLog.prototype, 'append')!.value as WriteLog['append'];
  let waiting: ((error?: Error) => void)[] = [];
  jest.spyOn(WriteLog.prototype, 'append').mockImplementation(async function (this: WriteLog, record, kind) {
    const error = await new Promise<Error | undefined>((resolve) => waiting.push(resolve));
    if (error) throw error;
    return append.call(this, record, kind);
  });
  return {
    waiting: () => waiting.length,
    release: (error) => {
      const all = waiting;
      waiting = [];
      for (const go of all) go(error);
    },
  };
}

test('makes an insert of many documents visible as a whole or not at all', async () => {
  await c.createIndex({ tags: 1 });
  const docs = Array.from({ length: 4_000 }, (_, i) => ({
    _id: i,
    text: 'x'.repeat(500),
    tags: Array.from({ length: 15 }, (_u, j) => `tag ${(i * 31 + j * 17) % 997}`),
  }));
  const seen = new Set<number>();
  let done = false;
  const writing = c.insertMany(docs).finally(() => (done = true));
  let n = 0;
  while (!done) {
    seen.add(await c.countDocuments({ tags: { $gte: '' } }, { hint: 'tags_1' }));
    seen.add((await c.find({}, { projection: { _id: 1 } }).toArray()).length);
    n++;
  }
  await writing;
  expect(n).toBeGreaterThan(0);
  expect([...seen].filter((x) => x !== 0 && x !== docs.length)).toEqual([]);
  expect(await c.countDocuments({ tags: { $gte: '' } })).toBe(docs.length);
});

test('delays reads of writes that are not on disk yet; other reads are not delayed', async () => {
  await c.insertOne({ _id: 1 });
  await client.db('d').collection('other').insertOne({ x: 1 });
  const log = heldLog();
  const writing = c.insertOne({ _id: 2 });
  await until('the record', () => log.waiting() === 1);
  let answered = 0;
  const reads = [c.findOne({ _id: 2 }), c.countDocuments(), c.findOne({ _id: 1 })];
  for (const r of reads) void r.then(() => answered++);
  expect(await client.db('d').collection('other').countDocuments()).toBe(1);
  expect(answered).toBe(0);
  log.release();
  await writing;
  expect(await Promise.all(reads)).toEqual([{ _id: 2 }, 2, { _id: 1 }]);
});

test('fails a record that cannot be written, and discards its writes and all later writes', async () => {
  await c.insertOne({ _id: 1 });
  const log = heldLog();
  const first = errorOf(c.insertOne({ _id: 2 }));
  await until('the record', () => log.waiting() === 1);
  const second = errorOf(c.insertOne({ _id: 3 }));
  const read = errorOf(c.find().toArray());
  const duplicate = errorOf(c.insertOne({ _id: 2 }));
  const created = errorOf(client.db('d').collection('new').insertOne({}));
  await client.db('d').command({ ping: 1 });
  log.release(Object.assign(new Error('no space'), { code: 'ENOSPC' }));
  expect((await first).code).toBe(14031);
  expect((await second).code).toBe(14031);
  expect((await duplicate).code).toBe(14031);
  expect((await created).code).toBe(14031);
  expect((await read).message).toContain('no space');
  jest.restoreAllMocks();
  expect(await c.find().toArray()).toEqual([{ _id: 1 }]);
  expect(await c.countDocuments()).toBe(1);
  expect(await c.estimatedDocumentCount()).toBe(1);
  expect(await client.db('d').listCollections({ name: 'new' }).toArray()).toEqual([]);
  await c.insertOne({ _id: 2 });
  expect(await c.countDocuments({ _id: { $gte: 0 } })).toBe(2);
});

test('shares the next record among writes that arrive while a record is being written', async () => {
  await c.insertOne({ _id: -1 });
  const log = heldLog();
  const submit = jest.spyOn(WriteQueue.prototype, 'submit');
  const all = [c.insertOne({ _id: 0 })];
  await until('the record', () => log.waiting() === 1);
  for (let i = 1; i < 40; i++) all.push(c.insertOne({ _id: i }));
  await until('the others', () => submit.mock.calls.length === all.length);
  log.release();
  jest.restoreAllMocks();
  const append = jest.spyOn(Storage.prototype, 'append');
  await Promise.all(all);
  expect(append.mock.calls.length).toBeLessThan(20);
  expect(await c.countDocuments()).toBe(41);
});
