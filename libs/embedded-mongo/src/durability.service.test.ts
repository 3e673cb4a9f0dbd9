import { rmSync } from 'node:fs';
import { MongoClient, type Collection } from 'mongodb';
import { startProcess, startWithSmallCheckpoints } from './testing/process';
import { errorOf, temporaryFolder, until } from './testing/server';

/** These tests kill and restart the built server, so it must be built first. */

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Entry {
  _id: string;
  round: number;
  writer: number;
  n: number;
  tokens: string[];
}

const writers = 8;
const rounds = 21;
const acknowledgedBeforeKill = 40;

/** Writes until the connection breaks. Records which writes were acknowledged. */
async function writeUntilBroken(
  client: MongoClient,
  round: number,
  acknowledged: Set<string>,
  counters: Map<string, number>,
): Promise<void> {
  const c = client.db('d').collection<Entry>('entries');
  const k = client.db('d').collection<{ _id: string; n: number }>('counters');
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      const counter = `w${writer}`;
      try {
        for (let n = 0; ; n++) {
          const entry = (suffix: string): Entry => ({
            _id: `${round}-${writer}-${n}${suffix}`,
            round,
            writer,
            n,
            tokens: [`t${n % 5}`, `w${writer}`],
          });
          if (n % 10 === 9) {
            const batch = ['a', 'b', 'c'].map(entry);
            await c.insertMany(batch);
            for (const e of batch) acknowledged.add(e._id);
          } else {
            await c.insertOne(entry(''));
            acknowledged.add(entry('')._id);
          }
          const after = await k.findOneAndUpdate(
            { _id: counter },
            { $inc: { n: 1 } },
            { upsert: true, returnDocument: 'after' },
          );
          counters.set(counter, after!.n);
        }
      } catch {
        // The server was killed. Writes without a reply may or may not be stored.
      }
    }),
  );
}

test('loses no acknowledged write after kill -9', async () => {
  const acknowledged = new Set<string>();
  const counters = new Map<string, number>();
  for (let round = 0; round < rounds; round++) {
    // Every other server is in the middle of a checkpoint most of the time.
    const server = await (round % 2 ? startProcess : startWithSmallCheckpoints)(folder);
    const client = new MongoClient(server.uri, { serverSelectionTimeoutMS: 500, retryWrites: false });
    const c = client.db('d').collection<Entry>('entries');
    if (round === 0) await c.createIndexes([{ key: { round: 1, writer: 1, n: 1 } }, { key: { tokens: 1 } }]);
    await check(c, client, acknowledged, counters);
    const before = acknowledged.size;
    const writing = writeUntilBroken(client, round, acknowledged, counters);
    await until('writes', () => acknowledged.size >= before + acknowledgedBeforeKill + round * 7);
    await server.end('SIGKILL');
    await writing;
    await client.close();
  }
  const server = await startProcess(folder);
  const client = new MongoClient(server.uri);
  await check(client.db('d').collection<Entry>('entries'), client, acknowledged, counters);
  await client.close();
  expect(await server.end('SIGTERM')).toBe(0);
});

/** Checks that all acknowledged writes are present, and that indexes and counts agree with the documents. */
async function check(
  c: Collection<Entry>,
  client: MongoClient,
  acknowledged: Set<string>,
  counters: Map<string, number>,
): Promise<void> {
  const present = new Set((await c.find({}, { projection: { _id: 1 } }).toArray()).map((d) => d._id));
  expect([...acknowledged].filter((id) => !present.has(id))).toEqual([]);
  expect(await c.estimatedDocumentCount()).toBe(present.size);
  if (present.size > 0) {
    expect(await c.countDocuments({ round: { $gte: 0 } }, { hint: 'round_1_writer_1_n_1' })).toBe(
      present.size,
    );
    const tagged = (await c.find().toArray()).filter(({ tokens }) => tokens.includes('t1'));
    expect(await c.countDocuments({ tokens: 't1' })).toBe(tagged.length);
  }
  for (const [_id, n] of counters) {
    const found = await client.db('d').collection<{ _id: string; n: number }>('counters').findOne({ _id });
    expect(found!.n).toBeGreaterThanOrEqual(n);
  }
}

test('responds to requests in progress after SIGTERM, and loses nothing', async () => {
  const acknowledged = new Set<string>();
  const server = await startProcess(folder);
  const client = new MongoClient(server.uri, { serverSelectionTimeoutMS: 500, retryWrites: false });
  const writing = writeUntilBroken(client, 0, acknowledged, new Map());
  await until('writes', () => acknowledged.size > 100);
  expect(await server.end('SIGTERM')).toBe(0);
  await writing;
  await client.close();
  expect(server.errors()).toBe('');
  const again = await startProcess(folder);
  const second = new MongoClient(again.uri);
  const ids = (await second.db('d').collection<Entry>('entries').find().toArray()).map((d) => d._id);
  expect([...acknowledged].filter((id) => !ids.includes(id))).toEqual([]);
  await second.close();
  expect(await again.end('SIGINT')).toBe(0);
});

test('on a full disk, fails only writes and causes no permanent damage', async () => {
  const server = await startProcess(folder, [], 8 * 1024);
  const client = new MongoClient(server.uri, { retryWrites: false });
  const c = client.db('d').collection<{ _id: number; l?: string; s: string }>('big');
  await c.createIndex({ l: 1 });
  let stored = 0;
  const e = await errorOf(
    (async () => {
      for (; stored < 100_000; stored++)
        await c.insertOne({ _id: stored, l: `l${stored}`, s: 'x'.repeat(20_000) });
    })(),
  );
  expect(e.code).toBe(14031);
  expect(stored).toBeGreaterThan(100);
  expect(await c.countDocuments()).toBe(stored);
  expect((await errorOf(c.insertOne({ _id: -1, s: 'x'.repeat(50_000) }))).code).toBe(14031);
  expect((await c.findOne({ l: 'l7' }))!._id).toBe(7);
  expect(await c.countDocuments({ l: { $gte: '' } })).toBe(stored);
  await client.close();
  expect(await server.end('SIGTERM')).toBe(0);

  const full = await startProcess(folder, [], 8 * 1024);
  const reader = new MongoClient(full.uri, { retryWrites: false });
  const r = reader.db('d').collection<{ _id: number; s: string }>('big');
  expect(await r.countDocuments({ s: { $regex: '^x' } })).toBe(stored);
  // On a slow machine, a checkpoint may have freed some space in the log, so the first inserts may succeed.
  const refused = await errorOf(
    (async () => {
      for (let _id = -2; ; _id--) await r.insertOne({ _id, s: 'x'.repeat(50_000) });
    })(),
  );
  expect(refused.code).toBe(14031);
  await reader.close();
  expect(await full.end('SIGTERM')).toBe(0);

  const again = await startProcess(folder);
  const second = new MongoClient(again.uri);
  const d = second.db('d').collection<{ _id: number; s: string }>('big');
  expect(await d.countDocuments({ _id: { $gte: 0 } })).toBe(stored);
  await d.insertOne({ _id: -1, s: 'x'.repeat(50_000) });
  await second.close();
  expect(await again.end('SIGTERM')).toBe(0);
});

test('allows only one server at a time to use a folder, and ignores a lock left by kill -9', async () => {
  const first = await startProcess(folder);
  const e = await errorOf(startProcess(folder));
  expect(e.message).toContain(`in use by the server with process id ${first.child.pid}`);
  await first.end('SIGKILL');
  const next = await startProcess(folder);
  expect(await next.end('SIGTERM')).toBe(0);
});

test.each([
  [['--port', '99999'], '--port must be a whole number from 0 to 65535'],
  [['--prot', '1'], "Unknown option '--prot'"],
  [['--port'], "'--port <value>' argument missing"],
  [['--host='], '--host needs a value'],
  [['--path', 'e'], '--path is given twice'],
])('names the invalid argument in %j', async (args, message) => {
  expect((await errorOf(startProcess(folder, args))).message).toContain(message);
});

test('fails if the port is in use, and releases the folder', async () => {
  const first = await startProcess(folder);
  const other = temporaryFolder();
  const port = /:(\d+)\//.exec(first.uri)![1]!;
  expect((await errorOf(startProcess(other, ['--port', port]))).message).toContain('EADDRINUSE');
  const free = await startProcess(other);
  await free.end('SIGTERM');
  await first.end('SIGTERM');
  rmSync(other, { recursive: true, force: true });
});
