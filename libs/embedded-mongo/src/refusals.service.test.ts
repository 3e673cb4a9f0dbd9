import { rmSync } from 'node:fs';
import { Storage } from './store/storage';
import { startProcess } from './testing/process';
import { errorOf, startTestServer, temporaryFolder, type TestServer } from './testing/server';

/**
 * Rules of the MongoDB manual that are easily violated without an error. Each request must either succeed correctly or
 * fail.
 */

let t: TestServer;
beforeAll(async () => {
  t = await startTestServer();
});
afterAll(() => t.stop());

let n = 0;
const fresh = () => t.db.collection<{ _id: unknown; [field: string]: unknown }>(`c${++n}`);

test('rejects a sort by two arrays', async () => {
  const c = fresh();
  await c.insertOne({ _id: 1, a: [1], b: [2] });
  const e = await errorOf(c.find().sort({ a: 1, b: 1 }).toArray());
  expect([e.code, e.message]).toEqual([2, 'cannot sort with keys that are parallel arrays']);
});

test.each([1_740, 1_760, 1_765, 1_770, 1_775, 1_779, 1_785, 1_790, 1_800, 1_850])(
  'finds values of %d bytes with an index on two fields',
  async (length) => {
    const c = fresh();
    await c.createIndex({ a: 1, b: 1 });
    const long = 'x'.repeat(length);
    const b = 'y'.repeat(40);
    await c.insertMany([
      { _id: 1, a: long, b },
      { _id: 2, a: `${long}z`, b },
      { _id: 3, a: long.slice(1), b },
      { _id: 4, a: long, b: 1 },
    ]);
    const options = { hint: 'a_1_b_1' };
    const ids = async (filter: object) => (await c.find(filter, options).toArray()).map((d) => d._id).sort();
    expect(await ids({ a: long })).toEqual([1, 4]);
    expect(await ids({ a: long, b })).toEqual([1]);
    expect(await ids({ a: { $gte: long } })).toEqual([1, 2, 4]);
    expect(await ids({ a: { $gt: long } })).toEqual([2]);
    expect(await ids({ a: { $lte: long } })).toEqual([1, 3, 4]);
    expect(await ids({ a: { $lt: long } })).toEqual([3]);
    expect(await c.countDocuments({ a: long }, options)).toBe(2);
    expect(await c.countDocuments({ a: { $gt: long } }, options)).toBe(1);
  },
);

test.each([-5, NaN])('finds NaN and other numbers in spite of a partial index above %d', async (least) => {
  const c = fresh();
  await c.createIndex({ x: 1 }, { partialFilterExpression: { x: { $gt: least } } });
  await c.insertMany([
    { _id: 1, x: NaN },
    { _id: 2, x: 1 },
    { _id: 3, x: 9 },
  ]);
  expect((await c.find({ x: NaN }).toArray()).map((d) => d._id)).toEqual([1]);
  expect((await c.find({ x: { $lte: NaN } }).toArray()).map((d) => d._id)).toEqual([1]);
  expect((await c.find({ x: { $gte: NaN } }).toArray()).map((d) => d._id)).toEqual([1]);
  expect((await c.find({ x: { $lt: 5 } }).toArray()).map((d) => d._id)).toEqual([2]);
  expect((await c.find({ x: { $gt: 5 } }).toArray()).map((d) => d._id)).toEqual([3]);
});

test.each([
  ['an _id with an operator', { insert: 'x', documents: [{ _id: { $a: 1 } }] }, 52],
  ['an _id that is an array', { insert: 'x', documents: [{ _id: [1] }] }, 53],
  ['an _id that is a regular expression', { insert: 'x', documents: [{ _id: /a/ }] }, 53],
  [
    'an upsert with an _id that is a regular expression',
    { update: 'x', updates: [{ q: { a: 1 }, u: { $setOnInsert: { _id: /a/ } }, upsert: true }] },
    53,
  ],
  ['an unknown field of a read concern', { find: 'x', readConcern: { level: 'local', other: 1 } }, 40415],
  ['an unknown level', { find: 'x', readConcern: { level: 'most' } }, 2],
  [
    'a time that a standalone server does not support',
    { find: 'x', readConcern: { afterClusterTime: 1 } },
    40415,
  ],
  ['an unknown field of a write concern', { insert: 'x', documents: [{}], writeConcern: { v: 1 } }, 40415],
  ['more than one member', { insert: 'x', documents: [{}], writeConcern: { w: 3 } }, 2],
])('%s', async (_name, command, code) => {
  const answer = t.db.command(command).then((r) => {
    const [first] = (r.writeErrors ?? []) as { code: number }[];
    if (first !== undefined) throw Object.assign(new Error('write error'), first);
  });
  expect((await errorOf(answer)).code).toBe(code);
});

test('rejects a database name with a dot, which would denote a collection of another database', async () => {
  const odd = t.client.db('a') as unknown as {
    s: { namespace: { db: string } };
    command: TestServer['db']['command'];
  };
  // The driver itself would reject such a name.
  odd.s.namespace.db = 'a.b';
  expect((await errorOf(odd.command({ find: 'x' }))).code).toBe(73);
});

test('writes one log record for a write, and none if nothing changes', async () => {
  const c = fresh();
  await c.insertOne({ _id: 0 });
  const append = jest.spyOn(Storage.prototype, 'append');
  await c.insertOne({ _id: 1 });
  await c.findOne({ _id: 1 } as never);
  await c.updateOne({ _id: 5 } as never, { $set: { x: 1 } });
  expect(append).toHaveBeenCalledTimes(1);
  append.mockRestore();
});

test('allows only one of several servers to start in the folder of a killed server', async () => {
  const folder = temporaryFolder();
  await (await startProcess(folder)).end('SIGKILL');
  const starts = await Promise.allSettled(Array.from({ length: 5 }, () => startProcess(folder)));
  const won = starts.flatMap((s) => (s.status === 'fulfilled' ? [s.value] : []));
  expect(won).toHaveLength(1);
  for (const s of starts) if (s.status === 'rejected') expect(String(s.reason)).toContain('is in use by');
  expect(await won[0]!.end('SIGTERM')).toBe(0);
  rmSync(folder, { recursive: true, force: true });
});
