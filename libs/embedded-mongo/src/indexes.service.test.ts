import type { Collection, Document } from 'mongodb';
import { errorOf, startTestServer, type TestServer } from './testing/server';

let t: TestServer;
let count = 0;

beforeAll(async () => {
  t = await startTestServer();
});
afterAll(() => t.stop());

const fresh = (): Collection<Document> => t.db.collection(`indexes${++count}`);

interface Read {
  keys: number;
  documents: number;
  returned: number;
  stages: string;
}

/** What a find reads, as reported by explain. */
async function reads(c: Collection, filter: Document, options: Document = {}): Promise<Read> {
  const e = await c.find(filter, options).explain('executionStats');
  return {
    keys: e.executionStats.totalKeysExamined,
    documents: e.executionStats.totalDocsExamined,
    returned: e.executionStats.nReturned,
    stages: JSON.stringify(e.queryPlanner.winningPlan),
  };
}

describe('keys and documents read for a page', () => {
  let c: Collection;
  const total = 6_000;

  beforeAll(async () => {
    c = fresh();
    await c.createIndexes([
      { key: { retailer: 1, seq: -1 } },
      { key: { retailer: 1, store: 1, seq: -1 } },
      { key: { retailer: 1, tokens: 1 } },
      {
        key: { retailer: 1, consumer: 1, seq: -1 },
        partialFilterExpression: { consumer: { $exists: true } },
      },
      { key: { retailer: 1, number: 1 }, unique: true },
      { key: { retailer: 1, name: 1 } },
    ]);
    for (let from = 0; from < total; from += 2_000) {
      await c.insertMany(
        Array.from({ length: 2_000 }, (_, k) => {
          const i = from + k;
          return {
            retailer: `r${i % 3}`,
            store: `s${i % 20}`,
            seq: i,
            number: `n${i}`,
            name: `name ${String(i).padStart(6, '0')}`,
            tokens: ['all', `t${i % 7}`, ...(i % 1000 === 0 ? ['rare'] : [])],
            ...(i % 50 === 0 && { consumer: 'anna' }),
          };
        }),
      );
    }
  });

  test('reads only the keys and documents of a page in index order', async () => {
    const page = await reads(c, { retailer: 'r1' }, { sort: { seq: -1 }, limit: 20 });
    expect(page).toMatchObject({ keys: 20, documents: 20, returned: 20 });
    expect(page.stages).toContain('retailer_1_seq_-1');
    expect(await reads(c, { retailer: 'r1' }, { sort: { seq: 1 }, limit: 20 })).toMatchObject({
      keys: 20,
      documents: 20,
    });
    expect(
      await reads(c, { retailer: 'r1', seq: { $lt: 3000 } }, { sort: { seq: -1 }, limit: 20 }),
    ).toMatchObject({ keys: 20, documents: 20 });
    expect(
      (
        await c
          .find({ retailer: 'r1', seq: { $lt: 3000 } })
          .sort({ seq: -1 })
          .limit(2)
          .toArray()
      ).map((d) => d.seq),
    ).toEqual([2998, 2995]);
  });

  test('merges the ranges of several prefix values in sort order', async () => {
    const stores = ['s1', 's4', 's7', 's10', 's13'];
    const filter = { retailer: 'r1', store: { $in: stores } };
    const page = await reads(c, filter, { sort: { seq: -1 }, limit: 20 });
    expect(page.stages).toContain('SORT_MERGE');
    expect(page.returned).toBe(20);
    expect(page.keys).toBeLessThanOrEqual(30);
    expect(page.documents).toBe(20);
    const found = await c.find(filter).sort({ seq: -1 }).limit(20).toArray();
    const all = (await c.find().toArray()).filter((d) => d.retailer === 'r1' && stores.includes(d.store));
    const newest = all.map((d) => d.seq as number).sort((a, b) => b - a);
    expect(found.map((d) => d.seq)).toEqual(newest.slice(0, 20));
  });

  test('reads one key and one document for a unique value, and nothing for a missing one', async () => {
    expect(await reads(c, { retailer: 'r1', number: 'n31' })).toMatchObject({
      keys: 1,
      documents: 1,
      returned: 1,
    });
    expect(await reads(c, { retailer: 'r1', number: 'nope' })).toMatchObject({ keys: 0, documents: 0 });
    const { _id } = (await c.findOne({ number: 'n31' }))!;
    const byId = await reads(c, { _id, retailer: 'r1' });
    expect(byId).toMatchObject({ keys: 1, documents: 1, returned: 1 });
    expect(byId.stages).toContain('IDHACK');
  });

  test('reads the rarer of two tokens', async () => {
    const both = await reads(
      c,
      { retailer: 'r0', tokens: { $all: ['all', 'rare'] } },
      { sort: { seq: -1 }, limit: 20 },
    );
    expect(both.returned).toBe(2);
    expect(both.keys).toBeLessThan(10);
    const separate = await reads(c, { retailer: 'r0', $and: [{ tokens: 't3' }, { tokens: 'rare' }] });
    expect(separate.keys).toBeLessThan(10);
  });

  test('reads a frequent token in sort order if there is a sort', async () => {
    const page = await reads(c, { retailer: 'r0', tokens: 'all' }, { sort: { seq: -1 }, limit: 20 });
    expect(page.returned).toBe(20);
    expect(page.keys).toBeLessThan(60);
  });

  test('uses a partial index for queries that its filter covers', async () => {
    const page = await reads(c, { retailer: 'r0', consumer: 'anna' }, { sort: { seq: -1 }, limit: 20 });
    expect(page.keys).toBe(20);
    expect(page.stages).toContain('consumer');
    const others = await reads(c, { retailer: 'r0', consumer: null }, { limit: 5 });
    expect(others.stages).not.toContain('consumer');
  });

  test('reads a prefix of a string as a range', async () => {
    const page = await reads(c, { retailer: 'r1', name: { $regex: '^name 00000' } });
    expect(page.returned).toBe(3);
    expect(page.keys).toBeLessThanOrEqual(4);
  });

  test('reads no documents for a count that an index covers', async () => {
    const explain = async (filter: Document): Promise<Document> =>
      await c
        .aggregate([{ $match: filter }, { $group: { _id: 1, n: { $sum: 1 } } }])
        .explain('executionStats');
    const byRetailer = await explain({ retailer: 'r1' });
    expect(byRetailer.executionStats).toMatchObject({ totalKeysExamined: 2000, totalDocsExamined: 0 });
    expect(JSON.stringify(byRetailer.queryPlanner.winningPlan)).toContain('COUNT_SCAN');
    expect((await explain({ retailer: 'r1', store: { $in: ['s1', 's4'] } })).executionStats).toMatchObject({
      totalKeysExamined: 200,
      totalDocsExamined: 0,
    });
    expect((await explain({ retailer: 'r1', tokens: 't1' })).executionStats).toMatchObject({
      totalDocsExamined: 0,
    });
    expect((await explain({ retailer: 'r1', seq: { $gte: 100, $lt: 400 } })).executionStats).toMatchObject({
      totalKeysExamined: 100,
      totalDocsExamined: 0,
    });
    expect(await c.countDocuments({ retailer: 'r1', tokens: { $in: ['all', 't1'] } })).toBe(2000);
  });

  test('counts elements with a prefix, and alternatives, by keys, but reads the documents for $elemMatch', async () => {
    const d = fresh();
    await d.createIndex({ retailer: 1, tokens: 1, seq: -1 });
    const tokens = (i: number) => [`n|${i % 10}a`, `n|${(i + 1) % 10}b`];
    await d.insertMany(Array.from({ length: 100 }, (_, i) => ({ retailer: 'r', seq: i, tokens: tokens(i) })));
    const counted = async (filter: Document) => {
      const match = { retailer: 'r', ...filter };
      const plan = await d
        .aggregate([{ $match: match }, { $group: { _id: 1, n: { $sum: 1 } } }])
        .explain('executionStats');
      return [await d.countDocuments(match), plan.executionStats.totalDocsExamined];
    };
    expect(await counted({ tokens: { $regex: '^n\\|2' } })).toEqual([20, 0]);
    expect(await counted({ tokens: { $regex: '^n' } })).toEqual([100, 0]);
    expect(await counted({ $or: [{ tokens: { $regex: '^n\\|2' } }, { tokens: 'n|4a' }] })).toEqual([30, 0]);
    expect(await counted({ tokens: { $in: [/^n\|2/, /^n\|3/, 'n|4a'] } })).toEqual([40, 0]);
    // MongoDB reads the documents of these too.
    expect(await counted({ tokens: { $elemMatch: { $gte: 'n|2', $lt: 'n|4' } } })).toEqual([30, 30]);
    expect(await counted({ tokens: { $regex: '^n\\|2.*' } })).toEqual([20, 20]);
  });

  test('reads the documents in the order of their least or greatest element from the keys', async () => {
    const d = fresh();
    await d.createIndex({ times: 1 });
    await d.insertMany(Array.from({ length: 100 }, (_, i) => ({ times: [500 + i, (i * 37) % 100] })));
    const page = async (direction: 1 | -1, filter: Document = {}) => {
      const found = d.find(filter).hint('times_1').sort({ times: direction }).limit(3);
      const plan = await found.clone().explain('executionStats');
      return [(await found.toArray()).map(({ times }) => times), plan.executionStats.totalDocsExamined];
    };
    expect(await page(1)).toEqual([[0, 73, 46].map((i, least) => [500 + i, least]), 3]);
    expect(await page(-1)).toEqual([[99, 98, 97].map((i) => [500 + i, (i * 37) % 100]), 3]);
    // The bounds leave out keys of the documents, so the least of the others need not be the least element.
    expect((await page(1, { times: { $gte: 10 } }))[1]).toBe(100);
  });

  test.each([
    ['sparse', { key: { x: 1 }, name: 'x', sparse: true }],
    ['partial', { key: { x: 1 }, name: 'x', partialFilterExpression: { x: { $gt: 5 } } }],
  ])('does not use a %s index that lacks documents of the result', async (_kind, index) => {
    const d = fresh();
    await d.createIndexes([index]);
    await d.insertMany([{ _id: 1, x: 9 }, { _id: 2 }] as never[]);
    for (const filter of [{}, { x: { $ne: 9 } }, { _id: 2 }]) {
      expect(
        (
          await errorOf(
            d
              .find(filter as never)
              .hint('x')
              .toArray(),
          )
        ).code,
      ).toBe(291);
      expect((await errorOf(d.countDocuments(filter as never, { hint: 'x' }))).code).toBe(291);
    }
    expect(await d.countDocuments({ x: { $gt: 6 } }, { hint: 'x' })).toBe(1);
  });

  test('serves an $or with the indexes of its branches', async () => {
    const or = await reads(c, { retailer: 'r1', $or: [{ store: 's1' }, { number: 'n31' }] });
    expect(or.stages).toContain('"OR"');
    expect(or.keys).toBe(101);
    const sorted = await reads(
      c,
      { retailer: 'r1', $or: [{ store: 's1' }, { store: 's4' }] },
      { sort: { seq: -1 }, limit: 20 },
    );
    expect(sorted.stages).toContain('SORT_MERGE');
    expect(sorted.keys).toBeLessThanOrEqual(25);
  });

  test('uses a hint', async () => {
    const hinted = await reads(c, { retailer: 'r1', seq: 31 }, { hint: 'retailer_1_store_1_seq_-1' });
    expect(hinted.stages).toContain('retailer_1_store_1_seq_-1');
    expect(hinted.keys).toBe(2000);
    expect((await errorOf(c.find({}, { hint: { nope: 1 } }).toArray())).code).toBe(2);
  });
});

describe('unique', () => {
  test('names the index in the error as MongoDB does', async () => {
    const c = fresh();
    await c.createIndex({ a: 1, b: -1 }, { unique: true, name: 'ab' });
    await c.insertOne({ a: 'x', b: 1 });
    const e = (await errorOf(c.insertOne({ a: 'x', b: 1 }))) as Document & Error;
    expect(e.code).toBe(11000);
    expect(e.message).toBe(
      `E11000 duplicate key error collection: test.${c.collectionName} index: ab dup key: { a: "x", b: 1 }`,
    );
    const facts = { keyPattern: { a: 1, b: -1 }, keyValue: { a: 'x', b: 1 } };
    expect((e as Document).writeErrors?.[0]?.err ?? e).toMatchObject(facts);
    const byId = (await errorOf(c.insertOne({ _id: (await c.findOne())!._id, a: 'z' }))) as Document & Error;
    expect(byId.message).toContain(' index: _id_ ');
    expect(
      (await errorOf(c.findOneAndUpdate({ a: 'y' }, { $set: { a: 'x', b: 1 } }, { upsert: true }))).code,
    ).toBe(11000);
  });

  test('treats equal numbers of different types as conflicts, and missing as null', async () => {
    const c = fresh();
    await c.createIndex({ a: 1 }, { unique: true });
    await c.insertMany([{ a: 1 }, {}]);
    expect((await errorOf(c.insertOne({ a: 1.0 }))).code).toBe(11000);
    expect((await errorOf(c.insertOne({ a: null }))).code).toBe(11000);
    await c.insertOne({ a: 1.5 });
    expect((await errorOf(c.updateOne({ a: 1.5 }, { $set: { a: 1 } }))).code).toBe(11000);
    expect(await c.countDocuments({ a: 1.5 })).toBe(1);
    await c.updateOne({ a: 1.5 }, { $set: { b: 1 } });
  });

  test('multikey: allows an element to repeat within a document, but not across documents', async () => {
    const c = fresh();
    await c.createIndex({ l: 1 }, { unique: true });
    await c.insertOne({ l: ['a', 'a', 'b'] });
    expect((await errorOf(c.insertOne({ l: ['c', 'b'] }))).code).toBe(11000);
    await c.insertOne({ l: 'c' });
  });

  test('partial: applies only to documents that match its filter', async () => {
    const c = fresh();
    await c.createIndex({ k: 1 }, { unique: true, partialFilterExpression: { active: { $gt: false } } });
    await c.insertOne({ k: 1, active: true });
    await c.insertMany([{ k: 1, active: false }, { k: 1 }]);
    expect((await errorOf(c.insertOne({ k: 1, active: true }))).code).toBe(11000);
    expect((await errorOf(c.updateOne({ active: false }, { $set: { active: true } }))).code).toBe(11000);
    await c.updateOne({ k: 1, active: true }, { $set: { active: false } });
    await c.insertOne({ k: 1, active: true });
  });

  test('sparse: many documents may lack the field', async () => {
    const c = fresh();
    await c.createIndex({ u: 1 }, { unique: true, sparse: true });
    await c.insertMany([{}, {}, { u: 1 }]);
    expect((await errorOf(c.insertOne({ u: 1 }))).code).toBe(11000);
    expect(await c.countDocuments({ u: null })).toBe(2);
    expect((await reads(c, { u: { $exists: true } })).keys).toBe(1);
    expect(await c.find().sort({ u: 1 }).toArray()).toHaveLength(3);
  });

  test('accepts exactly one of fifty concurrent inserts of a key', async () => {
    const c = fresh();
    await c.createIndex({ k: 1 }, { unique: true });
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, (_, i) => c.insertOne({ k: 'same', i })),
    );
    expect(results.filter((r) => r.status === 'fulfilled')).toHaveLength(1);
    expect(await c.countDocuments()).toBe(1);
  });

  test('distinguishes very long values', async () => {
    const c = fresh();
    await c.createIndex({ s: 1 }, { unique: true });
    const long = 'y'.repeat(5_000);
    await c.insertMany([{ s: `${long}1` }, { s: `${long}2` }]);
    expect((await errorOf(c.insertOne({ s: `${long}2` }))).code).toBe(11000);
    expect(await c.countDocuments({ s: `${long}2` })).toBe(1);
    expect(
      (
        await c
          .find({ s: { $gt: 'y' } })
          .sort({ s: -1 })
          .toArray()
      ).map((d) => d.s.at(-1)),
    ).toEqual(['2', '1']);
    expect(await c.countDocuments({ s: { $gte: `${long}2` } })).toBe(1);
    expect((await c.deleteOne({ s: `${long}1` })).deletedCount).toBe(1);
    await c.insertOne({ s: `${long}1` });
  });
});

describe('building and dropping', () => {
  test('indexes existing documents', async () => {
    const c = fresh();
    await c.insertMany(Array.from({ length: 3_000 }, (_, n) => ({ n, half: n >> 1, l: [n, -n] })));
    await c.createIndex({ n: 1 });
    await c.createIndex({ l: 1 });
    expect(await reads(c, { n: 77 })).toMatchObject({ keys: 1, documents: 1 });
    expect(await reads(c, { l: -77 })).toMatchObject({ keys: 1, documents: 1 });
    const clash = (await errorOf(c.createIndex({ half: 1 }, { unique: true }))) as Document & Error;
    expect(clash.code).toBe(11000);
    expect((await c.indexes()).map((i) => i.name)).toEqual(['_id_', 'n_1', 'l_1']);
    await c.createIndex({ half: 1 });
    expect(await reads(c, { half: 5 })).toMatchObject({ keys: 2 });
  });

  test('accepts writes while an index is being built, without missing documents', async () => {
    const c = fresh();
    await c.insertMany(Array.from({ length: 10_000 }, (_, n) => ({ n, v: 0, pad: 'x'.repeat(100) })));
    let building = true;
    const built = c.createIndex({ v: 1, n: 1 }).then(() => (building = false));
    let writes = 0;
    while (building) {
      await c.updateOne({ n: (writes * 37) % 10_000 }, { $set: { v: 1 } });
      await c.insertOne({ n: 10_000 + writes, v: 1 });
      writes++;
    }
    await built;
    const changed = (await c.find().toArray()).filter(({ v }) => v === 1);
    expect(await c.countDocuments({ v: 1 })).toBe(changed.length);
    expect((await reads(c, { v: 1 })).stages).toContain('v_1_n_1');
  });

  test('succeeds when an index is created twice, and fails with different options', async () => {
    const c = fresh();
    await c.createIndex({ a: 1 }, { name: 'x' });
    await c.createIndex({ a: 1 }, { name: 'x' });
    expect((await errorOf(c.createIndex({ b: 1 }, { name: 'x' }))).code).toBe(86);
    expect((await errorOf(c.createIndex({ a: 1 }, { name: 'y' }))).code).toBe(85);
    expect((await errorOf(c.createIndex({ a: 1 }, { name: 'x', unique: true }))).code).toBe(85);
    await c.createIndex({ a: 1 }, { name: 'z', partialFilterExpression: { b: { $gt: 1 } } });
    await c.createIndex({ _id: 1 });
    expect(await c.indexes()).toHaveLength(3);
  });

  test.each<[Document, number]>([
    [{ key: { a: 'text' }, name: 'x' }, 67],
    [{ key: { a: '2dsphere' }, name: 'x' }, 67],
    [{ key: { a: 'hashed' }, name: 'x' }, 67],
    [{ key: {}, name: 'x' }, 67],
    [{ key: { a: 0 }, name: 'x' }, 67],
    [{ key: { $a: 1 }, name: 'x' }, 67],
    [{ key: { a: 1 } }, 9],
    [{ key: { a: 1 }, name: 'x', weights: {} }, 197],
    [{ key: { a: 1 }, name: 'x', sparse: true, partialFilterExpression: {} }, 67],
    [{ key: { a: 1, b: 1 }, name: 'x', sparse: true }, 67],
    [{ key: { a: 1 }, name: 'x', partialFilterExpression: { a: { $ne: 1 } } }, 67],
    [{ key: { a: 1, b: 1 }, name: 'x', expireAfterSeconds: 5 }, 67],
    [{ key: { a: 1 }, name: 'x', expireAfterSeconds: -5 }, 67],
    ...['collation', 'v', 'hidden', 'wildcardProjection', 'background'].map((option): [Document, number] => [
      { key: { a: 1 }, name: 'x', [option]: 1 },
      197,
    ]),
    ...[{ $or: [{ a: 1 }] }, { a: 1 }, { a: { $lt: 1 } }, { a: { $in: [1] } }, { a: { $regex: 'x' } }].map(
      (filter): [Document, number] => [{ key: { a: 1 }, name: 'x', partialFilterExpression: filter }, 67],
    ),
  ])('rejects %j with code %i', async (spec, code) => {
    expect((await errorOf(t.db.command({ createIndexes: 'refused', indexes: [spec] }))).code).toBe(code);
  });

  test('keeps no old data in a database that is dropped and created again', async () => {
    const db = t.client.db('made-again');
    const c = db.collection('c');
    await c.createIndex({ a: 1 });
    await c.insertOne({ a: 1 });
    await db.dropDatabase();
    await c.insertOne({ a: 1 });
    await c.createIndex({ a: 1 });
    expect((await reads(c, { a: 1 })).keys).toBe(1);
    await t.server.sweep();
    expect((await reads(c, { a: 1 })).keys).toBe(1);
  });

  test('rejects several fields with arrays in one index, even fields of one array', async () => {
    const c = fresh();
    await c.createIndexes([{ key: { a: 1, b: 1 } }, { key: { 'i.x': 1, 'i.y': 1 } }]);
    expect((await errorOf(c.insertOne({ a: [1], b: [2] }))).code).toBe(171);
    expect((await errorOf(c.insertOne({ i: [{ x: 1, y: 2 }] }))).code).toBe(171);
    await c.insertOne({ a: [1], b: 2, i: { x: 1, y: [2] } });
  });
});

test('expires documents with a TTL index', async () => {
  const c = fresh();
  await c.createIndex({ at: 1 }, { expireAfterSeconds: 60 });
  const now = Date.now();
  await c.insertMany([
    { _id: 'old' as never, at: new Date(now - 61_000) },
    { _id: 'young' as never, at: new Date(now - 10_000) },
    { _id: 'list' as never, at: [new Date(now + 99_000), new Date(now - 99_000)] },
    { _id: 'text' as never, at: 'never' },
    { _id: 'none' as never },
    ...Array.from({ length: 700 }, (_, i) => ({ _id: `bulk${i}` as never, at: new Date(1000 + i) })),
  ]);
  await t.server.sweep();
  const left = (await c.find().toArray()).map(({ _id }) => String(_id));
  expect(left.sort()).toEqual(['none', 'text', 'young']);
});
