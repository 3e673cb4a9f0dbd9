import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { MongoClient, type Collection } from 'mongodb';
import { startEmbeddedMongo, type EmbeddedMongo } from '../index';
import { errorOf, temporaryFolder, until } from '../testing/server';
import { Catalog } from './catalog';
import { newestTransaction } from './data-file';
import { documentKey } from './environment';
import { type Checkpoint } from './log-record';
import { LogSegment } from './log-segment';
import { checkpoint, Storage } from './storage';

const never = { logBytes: 2 ** 40, changes: 2 ** 40, ms: 2 ** 30 };

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Doc {
  _id: number;
  tags?: string[];
  text?: string;
}

interface Opened {
  readonly server: EmbeddedMongo;
  readonly c: Collection<Doc>;
  close(): Promise<void>;
}

async function opened(path: string, checkpoint = {}): Promise<Opened> {
  const server = await startEmbeddedMongo({ path, checkpoint });
  const client = await new MongoClient(server.uri).connect();
  return {
    server,
    c: client.db('d').collection<Doc>('c'),
    close: async () => {
      await client.close();
      await server.close();
    },
  };
}

/** A copy of the files as a crash would leave them now, with everything written so far. */
function crashImage(of = join(folder, 'live')): string {
  const copy = join(folder, `image-${Math.random().toString(36).slice(2)}`);
  mkdirSync(copy);
  for (const name of ['data.mdb', 'log.0', 'log.1']) copyFileSync(join(of, name), join(copy, name));
  return copy;
}

const idsIn = async (path: string): Promise<number[]> => {
  const o = await opened(path);
  const byId = (await o.c.find().toArray()).map((d) => d._id);
  expect(await o.c.estimatedDocumentCount()).toBe(byId.length);
  const tagged = await o.c.countDocuments({ tags: 'a' });
  await o.close();
  expect(tagged).toBe(byId.length);
  return byId;
};

test('restores the log after a crash, and after a second crash during recovery', async () => {
  const live = await opened(join(folder, 'live'), never);
  await live.c.createIndex({ tags: 1 });
  for (let i = 0; i < 20; i++) await live.c.insertOne({ _id: i, tags: ['a', `t${i}`] });
  await live.c.deleteOne({ _id: 3 });
  await live.c.updateOne({ _id: 4 }, { $set: { text: 'new' } });
  const image = crashImage();
  await live.close();
  const expected = Array.from({ length: 20 }, (_, i) => i).filter((i) => i !== 3);
  const storage = await Storage.open(image, never);
  expect(storage.environment.changesHeld).toBeGreaterThan(0);
  await storage.environment.abort();
  storage.log.close();
  expect(await idsIn(image)).toEqual(expected);
  expect(await idsIn(image)).toEqual(expected);
});

test('ignores a last record torn at any byte, and keeps all earlier records', async () => {
  const live = await opened(join(folder, 'live'), never);
  await live.c.createIndex({ tags: 1 });
  await live.c.insertOne({ _id: 1, tags: ['a'] });
  const before = crashImage();
  await live.c.insertOne({ _id: 2, tags: ['a'] });
  const whole = crashImage();
  await live.close();
  const start = newestLog(before).end;
  const { file, end } = newestLog(whole);
  expect(end - start).toBeGreaterThan(60);
  const bytes = readFileSync(join(whole, file));
  for (let n = start; n < end; n++) {
    const torn = join(folder, 'torn');
    cpSync(whole, torn, { recursive: true });
    if (n % 2) truncateSync(join(torn, file), n);
    else
      writeFileSync(
        join(torn, file),
        bytes.map((byte, at) => (at === n ? byte ^ 0xff : byte)),
      );
    const storage = await Storage.open(torn, never);
    expect([...storage.environment.documents.getKeys({})]).toHaveLength(1);
    await storage.close();
    rmSync(torn, { recursive: true });
  }
  expect(await idsIn(whole)).toEqual([1, 2]);
});

/** The log file with the newest records, and the offset of their end. */
function newestLog(path: string): { file: string; end: number } {
  const segments = ['log.0', 'log.1'].map((file) => {
    const segment = new LogSegment(join(path, file), 0);
    segment.read();
    segment.close();
    return { file, generation: segment.header?.generation ?? 0, end: 4096 + segment.size };
  });
  return segments.sort((x, y) => y.generation - x.generation)[0]!;
}

test('falls back to the previous checkpoint and the log if a checkpoint did not reach the disk completely', async () => {
  const path = join(folder, 'live');
  mkdirSync(path);
  const storage = await Storage.open(path, never);
  const put = async (n: number): Promise<void> => {
    storage.environment.begin();
    storage.environment.put('documents', Buffer.from(`key ${n}`), Buffer.from(`value ${n}`));
    await storage.append();
  };
  await put(1);
  const { transaction } = storage.log.checkpoint;
  await storage.checkpoint();
  await put(2);
  const synced = Object.getPrototypeOf(storage.environment).sync as () => Promise<Checkpoint>;
  let release!: () => void;
  const held = new Promise<void>((resolve) => (release = resolve));
  await until('the first checkpoint is noted', () => storage.log.checkpoint.transaction > transaction);
  storage.environment.sync = async () => {
    await held;
    return synced.call(storage.environment);
  };
  await storage.checkpoint();
  await put(3);
  const image = crashImage();
  release();
  await storage.close();

  // Simulates pages of the newest state that were not flushed: all pages that the previous state does not use.
  const file = readFileSync(join(image, 'data.mdb'));
  const metas = [0, 4096].map((at) => ({
    transaction: Number(file.readBigUInt64LE(at + 152)),
    root: Number(file.readBigUInt64LE(at + 136)),
  }));
  const [, lost] = metas.sort((a, b) => a.transaction - b.transaction);
  file.fill(0xee, lost!.root * 4096, (lost!.root + 1) * 4096);
  writeFileSync(join(image, 'data.mdb'), file);

  const again = await Storage.open(image, checkpoint);
  const values = [...again.environment.documents.getRange({})].map(({ value }) => value.toString());
  expect(values).toEqual(['value 1', 'value 2', 'value 3']);
  await again.close();
});

test('loses nothing after a crash during a checkpoint and another crash during the next checkpoint', async () => {
  const put = async (storage: Storage, n: number): Promise<void> => {
    storage.environment.begin();
    storage.environment.put('documents', Buffer.from(`key ${n}`), Buffer.from(`value ${n}`));
    await storage.append();
  };
  /** Runs a checkpoint whose flush does not end, and returns the files at that moment. */
  const crashInCheckpoint = async (
    storage: Storage,
  ): Promise<{ image: string; end: () => Promise<void> }> => {
    const sync = storage.environment.sync.bind(storage.environment);
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    let isFlushing = false;
    storage.environment.sync = async () => {
      isFlushing = true;
      await held;
      return sync();
    };
    const taken = storage.checkpoint();
    await until('the flush', () => isFlushing);
    await put(storage, storage.log.lastSequence + 100);
    const image = crashImage(storage.environment.path);
    const end = async (): Promise<void> => {
      release();
      await taken;
      await storage.close();
    };
    return { image, end };
  };
  mkdirSync(join(folder, 'live'));
  const first = await Storage.open(join(folder, 'live'), never);
  for (let n = 1; n < 4; n++) await put(first, n);
  const once = await crashInCheckpoint(first);
  const second = await Storage.open(once.image, never);
  const twice = await crashInCheckpoint(second);
  const third = await Storage.open(twice.image, never);
  expect([...third.environment.documents.getKeys({})]).toHaveLength(5);
  await third.close();
  await twice.end();
  await once.end();
});

test('bounds the log by alternating two files, and leaves nothing to replay after a stop', async () => {
  const path = join(folder, 'live');
  const live = await opened(path, { logBytes: 100_000, ms: 50 });
  const before = await newestTransaction(path);
  for (let i = 0; i < 400; i++) await live.c.insertOne({ _id: i, text: 'x'.repeat(5_000) });
  expect(await newestTransaction(path)).toBeGreaterThan(before + 3);
  await live.close();
  for (const name of ['log.0', 'log.1']) expect(statSync(join(path, name)).size).toBeLessThan(6 << 20);
  const storage = await Storage.open(path, never);
  expect(storage.checkpointInMs).toBe(Infinity);
  await storage.close();
});

test('takes a checkpoint even without further writes', async () => {
  const path = join(folder, 'live');
  const live = await opened(path, { ms: 30 });
  const before = await newestTransaction(path);
  await live.c.insertOne({ _id: 1 });
  await until('a checkpoint', async () => (await newestTransaction(path)) > before);
  await live.close();
});

describe('names damaged or missing files:', () => {
  async function stopped(): Promise<string> {
    const path = join(folder, 'live');
    const live = await opened(path, never);
    for (let i = 0; i < 50; i++) await live.c.insertOne({ _id: i, text: 'x'.repeat(3_000) });
    const image = crashImage();
    await live.close();
    const later = await opened(path, never);
    await later.c.insertOne({ _id: 50 });
    await later.close();
    return image;
  }

  test.each([
    ['a byte of a record in the middle', 'log', 'is damaged: record', (b: Buffer) => ((b[40_000]! ^= 1), b)],
    [
      'both copies of the header',
      'log',
      'neither copy of its header',
      (b: Buffer) => (b.fill(7, 0, 4096), b),
    ],
    ['no log', 'log', 'the log of the data', () => undefined],
    ['no data', 'data', 'is missing', () => undefined],
    ['truncated data', 'data', 'is truncated', (b: Buffer) => b.subarray(0, 12_288)],
    [
      'data with a damaged first page',
      'data',
      'is damaged: LMDB cannot open it',
      (b: Buffer) => (b.fill(0, 0, 100), b),
    ],
    [
      'data from a later time',
      'data',
      'does not belong to its log',
      () => readFileSync(join(folder, 'live/data.mdb')),
    ],
  ])('%s', async (_name, which, message, change) => {
    const image = await stopped();
    const names =
      which === 'data'
        ? ['data.mdb']
        : message.includes('of the data')
          ? ['log.0', 'log.1']
          : [newestLog(image).file];
    for (const name of names) {
      const changed = change(readFileSync(join(image, name)));
      if (changed === undefined) rmSync(join(image, name));
      else writeFileSync(join(image, name), changed);
    }
    const before = readdirSync(image).map((name) => [name, statSync(join(image, name)).size]);
    const e = await errorOf(startEmbeddedMongo({ path: image }));
    expect(e.message).toContain(message);
    expect(e.message).toContain(image);
    expect(before.length).toBeGreaterThan(0);
  });
});

describe('checksums of documents', () => {
  const path = (): string => join(folder, 'live');

  async function withReceipts(): Promise<void> {
    const live = await opened(path());
    await live.c.createIndex({ tags: 1 });
    await live.c.insertMany(
      Array.from({ length: 300 }, (_, i) => ({
        _id: i,
        tags: ['a'],
        text: `text of ${i}, ${'x'.repeat(500)}`,
      })),
    );
    await live.close();
  }

  /** Changes a byte wherever a text is stored, because a free page of the file may also contain it. */
  function damage(text: string, by = 1): void {
    const file = join(path(), 'data.mdb');
    const bytes = readFileSync(file);
    let times = 0;
    for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1), times++) bytes[at]! ^= by;
    expect(times).toBeGreaterThan(0);
    writeFileSync(file, bytes);
  }

  test('does not start if the newest documents are damaged, and names the collection', async () => {
    await withReceipts();
    damage('text of 299,');
    const e = await errorOf(startEmbeddedMongo({ path: path() }));
    expect(e.message).toContain(path());
    expect(e.message).toMatch(/is damaged: collection d\.c, document 300 differs from the written data/);
  });

  test('does not start if an index lacks one of the newest documents', async () => {
    await withReceipts();
    const storage = await Storage.open(path(), never);
    const c = new Catalog(storage.environment).get('d.c')!;
    const keys = [...storage.environment.indexes.getKeys({ start: c.indexes[1]!.prefix, limit: 300 })];
    storage.environment.remove('indexes', keys.at(-1)!);
    await storage.append();
    await storage.close();
    const e = await errorOf(startEmbeddedMongo({ path: path() }));
    expect(e.message).toContain('collection d.c, index tags_1 lacks document 300');
  });

  test('rejects and reports an older damaged document, but reads others', async () => {
    await withReceipts();
    damage('text of 7,');
    const faults: unknown[] = [];
    const server = await startEmbeddedMongo({ path: path(), onFault: (e) => faults.push(e) });
    const client = await new MongoClient(server.uri).connect();
    const c = client.db('d').collection<Doc>('c');
    for (const read of [
      () => c.findOne({ _id: 7 }),
      () => c.find({}).toArray(),
      () => c.countDocuments({ tags: 'a', text: { $regex: '^text' } }),
      () => c.updateOne({ _id: 7 }, { $set: { text: 'new' } }),
      () => c.createIndex({ text: 1 }),
    ]) {
      const e = await errorOf(read());
      expect(e.code).toBe(22);
      expect(e.message).toContain('collection d.c, document 8 differs from the written data');
    }
    // An update returns the error in the result of its statement.
    expect(faults).toHaveLength(4);
    expect((await c.findOne({ _id: 8 }))!.text).toMatch(/^text of 8,/);
    await client.close();
    await server.close();
  });

  test('detects a damaged length', async () => {
    await withReceipts();
    const storage = await Storage.open(path(), never);
    const key = documentKey(new Catalog(storage.environment).get('d.c')!.id, 300);
    const stored = Buffer.from(storage.environment.documents.get(key)!);
    stored.writeUInt32LE(stored.length);
    storage.environment.put('documents', key, stored);
    await storage.append();
    await storage.close();
    const e = await errorOf(startEmbeddedMongo({ path: path() }));
    expect(e.message).toContain('document 300 differs from the written data');
  });

  test('rejects a folder of another format', async () => {
    await withReceipts();
    const storage = await Storage.open(path(), never);
    storage.environment.put('catalog', Buffer.from('format'), Buffer.from([2]));
    await storage.append();
    await storage.close();
    const e = await errorOf(startEmbeddedMongo({ path: path() }));
    expect(e.message).toContain('has format 2, this server reads 3');
  });
});
