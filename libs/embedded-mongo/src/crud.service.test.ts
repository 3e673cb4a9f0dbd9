import {
  Binary,
  Decimal128,
  Double,
  Long,
  MongoClient,
  ObjectId,
  type Collection,
  type Document,
} from 'mongodb';
import { errorOf, startTestServer, type TestServer } from './testing/server';

/** The behaviour as seen through the official driver. */

let t: TestServer;
let count = 0;

beforeAll(async () => {
  t = await startTestServer();
});
afterAll(() => t.stop());

const fresh = <T extends Document = Document>(): Collection<T> => t.db.collection<T>(`crud${++count}`);

describe('insert and find', () => {
  test('returns every type as it was stored', async () => {
    const c = fresh();
    const d = {
      _id: new ObjectId(),
      int: 5,
      long: Long.fromString('9007199254740993'),
      double: new Double(5),
      text: 'häß\u{1f600}\0x',
      yes: true,
      none: null,
      date: new Date(12345),
      bytes: new Binary(Buffer.from([1, 2, 3]), 4),
      nested: { list: [1, { x: [] }], 10: 'ten', 2: 'two' },
    };
    await c.insertOne(d);
    const [found] = await c.find({}, { promoteValues: false, promoteLongs: false }).toArray();
    expect(found!.long).toEqual(d.long);
    expect(found!.double).toEqual(new Double(5));
    expect(found!.bytes).toEqual(d.bytes);
    expect(found!.text).toBe(d.text);
    expect((await c.findOne())!.nested).toEqual(d.nested);
  });

  test('generates a missing _id, and always puts it first', async () => {
    const c = fresh();
    await t.db.command({ insert: c.collectionName, documents: [{ a: 1 }, { a: 2, _id: 5, b: 3 }] });
    const docs = await c.find().toArray();
    expect(Object.keys(docs[0]!)).toEqual(['_id', 'a']);
    expect(docs[0]!._id).toBeInstanceOf(ObjectId);
    expect(Object.keys(docs[1]!)).toEqual(['_id', 'a', 'b']);
  });

  test.each([
    ['decimal', Decimal128.fromString('1.50'), { $in: [Decimal128.fromString('1.50')] }],
    // In $in, a regular expression is a pattern.
    ['regular expression', /^a/, { $lt: /^a/ }],
  ])('stores %s, but does not search for it', async (_type, value, other) => {
    const c = fresh();
    await c.createIndex({ value: 1 });
    await c.insertMany([{ value }, { value: 1 }]);
    expect((await c.findOne({ value: { $ne: 1 } }))!.value).toEqual(value);
    for (const filter of [{ value }, { value: other }, { value: { $gte: value } }])
      expect((await errorOf(c.find(filter as Document).toArray())).code).toBe(2);
  });

  test('cursors return batches, can be killed, and end', async () => {
    const c = fresh();
    await c.insertMany(Array.from({ length: 500 }, (_, i) => ({ i })));
    expect((await c.find({}, { batchSize: 7 }).toArray()).map((d) => d.i)).toEqual(
      Array.from({ length: 500 }, (_, i) => i),
    );
    expect(await c.find({}, { batchSize: 7, skip: 480 }).toArray()).toHaveLength(20);
    expect(await c.find({}, { batchSize: 7, limit: 30 }).toArray()).toHaveLength(30);
    const cursor = c.find({}, { batchSize: 2 });
    await cursor.next();
    const gone = { getMore: cursor.id!, collection: c.collectionName };
    await cursor.close();
    expect((await errorOf(t.db.command(gone))).code).toBe(43);
  });

  test('large results come in batches of at most 16 MiB', async () => {
    const c = fresh();
    await c.insertMany(Array.from({ length: 300 }, (_, i) => ({ i, s: 'x'.repeat(100_000) })));
    expect(await c.find().toArray()).toHaveLength(300);
  });

  test('treats a missing collection as empty', async () => {
    const c = fresh();
    expect(await c.find({ a: 1 }).toArray()).toEqual([]);
    expect(await c.countDocuments()).toBe(0);
    expect(await c.estimatedDocumentCount()).toBe(0);
    expect((await c.updateOne({ a: 1 }, { $set: { b: 1 } })).matchedCount).toBe(0);
    expect((await c.deleteMany({})).deletedCount).toBe(0);
  });
});

describe('update', () => {
  test('reports matched and modified counts', async () => {
    const c = fresh();
    await c.insertMany([{ a: 1 }, { a: 1 }, { a: 2 }]);
    expect(await c.updateMany({ a: 1 }, { $set: { b: 1 } })).toMatchObject({
      matchedCount: 2,
      modifiedCount: 2,
    });
    expect(await c.updateMany({}, { $set: { b: 1 } })).toMatchObject({ matchedCount: 3, modifiedCount: 1 });
    expect(await c.updateOne({ a: 1 }, { $inc: { a: 10 } })).toMatchObject({
      matchedCount: 1,
      modifiedCount: 1,
    });
    expect((await c.find().toArray()).map((d) => d.a)).toEqual([11, 1, 2]);
  });

  test('upserts once, then updates', async () => {
    const c = fresh<{ _id: unknown; k: string; n?: number; made?: boolean }>();
    const bump = () =>
      c.updateOne({ k: 'x' }, { $inc: { n: 1 }, $setOnInsert: { made: true } }, { upsert: true });
    const first = await bump();
    expect(first).toMatchObject({ upsertedCount: 1, matchedCount: 0 });
    expect(await bump()).toMatchObject({ upsertedCount: 0, matchedCount: 1 });
    expect(await c.find().toArray()).toEqual([{ _id: first.upsertedId, k: 'x', n: 2, made: true }]);
  });

  test('replaces and keeps _id', async () => {
    const c = fresh<{ _id: number; a?: number; b?: number }>();
    await c.insertOne({ _id: 1, a: 1 });
    await c.replaceOne({ _id: 1 }, { b: 2 });
    expect(await c.find().toArray()).toEqual([{ _id: 1, b: 2 }]);
    await c.replaceOne({ _id: 9 }, { b: 3 }, { upsert: true });
    expect(await c.findOne({ _id: 9 })).toEqual({ _id: 9, b: 3 });
  });

  test('rejects a sort, which MongoDB 7.0 does not support', async () => {
    const c = fresh();
    await c.insertMany([{ n: 2 }, { n: 1 }]);
    const refused = await errorOf(c.updateOne({}, { $set: { seen: true } }, { sort: { n: 1 } }));
    expect(refused.code).toBe(40415);
    expect(await c.countDocuments({ seen: true })).toBe(0);
  });

  test('does not process its own results in a multi update', async () => {
    const c = fresh();
    await c.createIndex({ n: 1 });
    await c.insertMany(Array.from({ length: 300 }, (_, n) => ({ n })));
    expect((await c.updateMany({ n: { $gte: 0 } }, { $inc: { n: 1000 } })).modifiedCount).toBe(300);
    expect(await c.countDocuments({ n: { $gte: 1000, $lt: 1300 } })).toBe(300);
  });

  test('counts all concurrent increments', async () => {
    const c = fresh<{ _id: number; n: number }>();
    await c.insertOne({ _id: 1, n: 0 });
    await Promise.all(Array.from({ length: 200 }, () => c.updateOne({ _id: 1 }, { $inc: { n: 1 } })));
    expect((await c.findOne({ _id: 1 }))!.n).toBe(200);
  });

  test('rejects an update that makes a document larger than 16 MiB', async () => {
    const c = fresh<{ _id: number; l: string[] }>();
    const text = 'x'.repeat(6_000_000);
    await c.insertOne({ _id: 1, l: [text, text] });
    expect((await errorOf(c.updateOne({ _id: 1 }, { $push: { l: text } }))).code).toBe(17419);
    expect((await c.findOne({ _id: 1 }))!.l).toHaveLength(2);
    const upsert = c.updateOne(
      { _id: 2 },
      { $set: { l: [text, text, text.slice(0, 4_900_000)] } },
      { upsert: true },
    );
    expect((await errorOf(upsert)).code).toBe(17420);
    expect(await c.countDocuments()).toBe(1);
  });
});

describe('findAndModify', () => {
  test('returns the document before or after the update, sorted and projected', async () => {
    const c = fresh<{ _id: number; s: string; n: number }>();
    await c.insertMany([1, 2, 3].map((_id) => ({ _id, s: 'free', n: 0 })));
    const claim = { $set: { s: 'held' }, $inc: { n: 1 } };
    expect(await c.findOneAndUpdate({ s: 'free' }, claim, { sort: { _id: -1 } })).toEqual({
      _id: 3,
      s: 'free',
      n: 0,
    });
    expect(
      await c.findOneAndUpdate({ s: 'free' }, claim, {
        sort: { _id: 1 },
        returnDocument: 'after',
        projection: { n: 1 },
      }),
    ).toEqual({ _id: 1, n: 1 });
    expect(await c.findOneAndUpdate({ s: 'gone' }, claim)).toBeNull();
    expect(await c.findOneAndReplace({ _id: 1 }, { s: 'x', n: 9 }, { returnDocument: 'after' })).toEqual({
      _id: 1,
      s: 'x',
      n: 9,
    });
  });

  test('never returns the same document to two claimants', async () => {
    const c = fresh<{ _id: number; owner?: number }>();
    await c.insertMany(Array.from({ length: 100 }, (_, _id) => ({ _id })));
    const claims = await Promise.all(
      Array.from({ length: 150 }, (_, owner) =>
        c.findOneAndUpdate({ owner: { $exists: false } }, { $set: { owner } }, { returnDocument: 'after' }),
      ),
    );
    const got = claims.filter((d) => d !== null);
    expect(got).toHaveLength(100);
    expect(new Set(got.map((d) => d._id)).size).toBe(100);
  });

  test('upserts and reports the new document', async () => {
    const c = fresh();
    const made = await c.findOneAndUpdate(
      { k: 1 },
      { $set: { v: 2 } },
      { upsert: true, returnDocument: 'after', includeResultMetadata: true },
    );
    expect(made.value).toMatchObject({ k: 1, v: 2 });
    expect(made.lastErrorObject).toMatchObject({ n: 1, updatedExisting: false });
  });
});

describe('bulk', () => {
  test('stops an ordered bulk write at the first error, and continues an unordered one', async () => {
    const c = fresh<{ _id: number }>();
    const docs = [{ _id: 1 }, { _id: 1 }, { _id: 2 }];
    const ordered = (await errorOf(c.insertMany(docs))) as Document & Error;
    expect(ordered.code).toBe(11000);
    expect(ordered.insertedCount).toBe(1);
    const unordered = (await errorOf(
      c.insertMany([{ _id: 1 }, { _id: 3 }, { _id: 3 }, { _id: 4 }], { ordered: false }),
    )) as Document & Error;
    expect(unordered.insertedCount).toBe(2);
    expect(unordered.writeErrors.map((e: { index: number }) => e.index)).toEqual([0, 2]);
    expect((await c.find().sort({ _id: 1 }).toArray()).map((d) => d._id)).toEqual([1, 3, 4]);
  });

  test('mixed operations', async () => {
    const c = fresh<{ _id: string; v?: number }>();
    const r = await c.bulkWrite([
      { insertOne: { document: { _id: 'a' } } },
      { updateOne: { filter: { _id: 'a' }, update: { $set: { v: 1 } } } },
      { updateOne: { filter: { _id: 'b' }, update: { $set: { v: 2 } }, upsert: true } },
      { replaceOne: { filter: { _id: 'a' }, replacement: { v: 3 } } },
      { updateMany: { filter: {}, update: { $inc: { v: 10 } } } },
      { deleteOne: { filter: { _id: 'b' } } },
    ]);
    expect(r).toMatchObject({ insertedCount: 1, modifiedCount: 4, upsertedCount: 1, deletedCount: 1 });
    expect(await c.find().toArray()).toEqual([{ _id: 'a', v: 13 }]);
  });

  test('fails only the faulty statement', async () => {
    const c = fresh<{ _id: number; v?: number }>();
    await c.insertOne({ _id: 1 });
    const e = (await errorOf(
      c.bulkWrite(
        [
          { updateOne: { filter: { _id: 1 }, update: { $foo: { v: 1 } } } },
          { updateOne: { filter: { _id: 1 }, update: { $set: { v: 1 } } } },
        ],
        { ordered: false },
      ),
    )) as Document & Error;
    expect(e.writeErrors[0].code).toBe(9);
    expect((await c.findOne({ _id: 1 }))!.v).toBe(1);
  });

  test('applies an unacknowledged write', async () => {
    const c = fresh<{ _id: string }>();
    await c.insertOne({ _id: 'w0' }, { writeConcern: { w: 0 } });
    let found = null;
    for (let i = 0; found === null && i < 200; i++) found = await c.findOne({ _id: 'w0' });
    expect(found).not.toBeNull();
  });
});

describe('count and aggregate', () => {
  let c: Collection;
  beforeAll(async () => {
    c = fresh();
    await c.createIndex({ r: 1, t: 1 });
    await c.insertMany(
      Array.from({ length: 60 }, (_, i) => ({ r: `r${i % 3}`, t: i % 2, n: i, tags: [`a${i % 4}`, 'z'] })),
    );
  });

  test('count', async () => {
    expect(await c.countDocuments({})).toBe(60);
    expect(await c.countDocuments({ r: 'r1' })).toBe(20);
    expect(await c.countDocuments({ r: 'r1' }, { limit: 5 })).toBe(5);
    expect(await c.countDocuments({ r: 'r1' }, { skip: 15 })).toBe(5);
    expect(await c.countDocuments({ r: 'r1', n: { $lt: 10 } })).toBe(3);
    expect(await c.estimatedDocumentCount()).toBe(60);
    expect((await t.db.command({ count: c.collectionName, query: { t: 1 } })).n).toBe(30);
  });

  const run = (pipeline: Document[]): Promise<Document[]> => c.aggregate(pipeline).toArray();

  test('$group with every accumulator', async () => {
    const n = { n: { $sum: 1 }, sum: { $sum: '$n' }, least: { $min: '$n' }, most: { $max: '$n' } };
    const found = await run([{ $match: { r: 'r1' } }, { $group: { _id: '$t', ...n } }]);
    expect(found.sort((a, b) => a._id - b._id)).toEqual([
      { _id: 0, n: 10, sum: 310, least: 4, most: 58 },
      { _id: 1, n: 10, sum: 280, least: 1, most: 55 },
    ]);
  });

  test('$group over all documents, a missing field, or no documents', async () => {
    expect(await run([{ $group: { _id: null, n: { $sum: 1 } } }])).toEqual([{ _id: null, n: 60 }]);
    expect(await run([{ $group: { _id: 'all', n: { $sum: 2 } } }])).toEqual([{ _id: 'all', n: 120 }]);
    const byTwo = await run([{ $group: { _id: { t: '$t', u: '$missing' }, n: { $sum: 1 } } }]);
    expect(byTwo).toEqual([
      { _id: { t: 0 }, n: 30 },
      { _id: { t: 1 }, n: 30 },
    ]);
    expect(await run([{ $group: { _id: '$missing', n: { $sum: 1 } } }])).toEqual([{ _id: null, n: 60 }]);
    expect(await run([{ $match: { r: 'no' } }, { $group: { _id: null, n: { $sum: 1 } } }])).toEqual([]);
    expect(await run([{ $match: { r: 'no' } }, { $group: { _id: null, m: { $max: '$n' } } }])).toEqual([]);
  });

  test('$skip and $limit', async () => {
    const page = [{ $match: { n: { $gt: 3 } } }, { $skip: 1 }, { $limit: 2 }];
    expect(await run([...page, { $group: { _id: null, n: { $sum: 1 } } }])).toEqual([{ _id: null, n: 2 }]);
    expect(await run([...page, { $group: { _id: '$t', n: { $sum: '$n' } } }])).toEqual([
      { _id: 1, n: 5 },
      { _id: 0, n: 6 },
    ]);
  });

  test.each<[Document[], number]>([
    ...['$lookup', '$unwind', '$out', '$sort', '$project', '$count', '$set', '$facet', '$collStats'].map(
      (stage): [Document[], number] => [[{ [stage]: {} }], 40324],
    ),
    [[{ $group: { _id: null } }, { $match: {} }], 40324],
    [[{ $match: {} }], 40324],
    [[{ $match: {}, $sort: {} }], 40323],
    [[{ $group: { n: { $sum: 1 } } }], 15955],
    ...['$push', '$avg', '$first', '$last'].map((accumulator): [Document[], number] => [
      [{ $group: { _id: null, n: { [accumulator]: '$n' } } }],
      15952,
    ]),
    [[{ $group: { _id: { $add: ['$n', 1] } } }], 168],
    [[{ $group: { _id: '$$ROOT' } }], 168],
    [[{ $group: { _id: '$a.b' } }], 168],
    [[{ $group: { _id: null, n: { $sum: { $size: '$tags' } } } }], 168],
    [[{ $limit: 0 }], 15958],
    [[{ $skip: -1 }], 15956],
  ])('rejects %j with code %i', async (pipeline, code) => {
    expect((await errorOf(run(pipeline))).code).toBe(code);
  });
});

describe('commands', () => {
  test.each<[Document, number | undefined]>([
    [{ nope: 1 }, 59],
    [{ find: 'c', foo: 1 }, 40415],
    [{ find: 'c', filter: 5 }, 14],
    [{ find: 5 }, 73],
    [{ find: 'c', skip: -1 }, 51024],
    [{ find: 'c', hint: 'nope' }, 2],
    [{ find: 'c', collation: { locale: 'de' } }, 40415],
    [{ find: 'c', let: { x: 1 } }, 40415],
    [{ find: 'c', readConcern: { level: 'snapshot' } }, 2],
    ...['distinct', 'dropIndexes', 'collStats', 'mapReduce', 'renameCollection'].map(
      (name): [Document, number] => [{ [name]: 'c' }, 59],
    ),
    [{ ping: 1, apiVersion: '1' }, 40415],
    [{ insert: 'c', documents: [] }, 16],
    [{ insert: 'c' }, 40414],
    [{ insert: 'c', documents: [{ a: 1 }], writeConcern: { w: 3 } }, 2],
    [{ insert: 'c', documents: [{ a: 1 }], txnNumber: Long.ONE }, 20],
    [{ update: 'c', updates: [{ q: {}, u: { a: 1 }, multi: true }] }, undefined],
    [{ findAndModify: 'c', query: {} }, 9],
    [{ findAndModify: 'c', remove: true }, 9],
    [{ getMore: Long.ONE }, 40414],
    [{ explain: { drop: 'c' } }, 59],
    [{ listIndexes: 'absent' }, 26],
    [{ insert: 'a$b', documents: [{}] }, undefined],
  ])('responds to %j with code %p', async (command, code) => {
    await t.db.collection('c').insertOne({});
    const answer = await t.db.command(command).catch((e: unknown) => e as Document);
    if (code === undefined) expect(answer.writeErrors[0].code).toBeGreaterThan(0);
    else expect(answer.code).toBe(code);
  });

  test('reports a standalone server with wire version 21 in hello', async () => {
    const hello = await t.db.command({ hello: 1 });
    expect(hello).toMatchObject({
      isWritablePrimary: true,
      maxWireVersion: 21,
      maxBsonObjectSize: 16777216,
      readOnly: false,
    });
    expect(hello.setName).toBeUndefined();
    expect(hello.topologyVersion).toBeUndefined();
  });

  test('accepts options that are deliberately ignored', async () => {
    const c = fresh();
    await t.client.withSession(async (session) => {
      await c.insertOne({ a: 1 }, { session });
      expect(
        await c.findOne(
          { a: 1 },
          { session, readPreference: 'nearest', readConcern: 'majority', maxTimeMS: 5000 },
        ),
      ).not.toBeNull();
      await c.updateOne(
        { a: 1 },
        { $set: { b: 1 } },
        { session, writeConcern: { w: 'majority', journal: true } },
      );
    });
    await t.db.command({ ping: 1 });
    await t.db.admin().buildInfo();
    await t.db.command({ connectionStatus: 1 });
  });

  test('rejects a transaction', async () => {
    const c = fresh();
    const e = await errorOf(
      t.client.withSession((s) => s.withTransaction(() => c.insertOne({}, { session: s }))),
    );
    expect(e.message).toMatch(/retryable writes|Transaction numbers/);
  });

  test('respects maxTimeMS', async () => {
    const c = fresh();
    for (let i = 0; i < 4; i++)
      await c.insertMany(Array.from({ length: 5_000 }, (_, n) => ({ n, s: 'x'.repeat(50) })));
    const slow = c.find(
      { $nor: Array.from({ length: 60 }, (_, i) => ({ s: { $regex: `(x+)y${i}` } })) },
      { maxTimeMS: 20 },
    );
    expect((await errorOf(slow.toArray())).code).toBe(50);
  });

  test('respects maxTimeMS if a few documents take a long time', async () => {
    const c = fresh();
    await c.insertMany(Array.from({ length: 12 }, () => ({ s: `${'x'.repeat(100_000)}!` })));
    const slow = {
      $nor: Array.from({ length: 8 }, (_, i) => ({ s: { $regex: `^(x+)+[yz]{${i + 1}}` } })),
    };
    expect((await errorOf(c.find(slow, { maxTimeMS: 1 }).toArray())).code).toBe(50);
    expect(await c.countDocuments(slow)).toBe(12);
  });

  test('yields to other work during a long scan', async () => {
    const c = fresh();
    await c.insertMany(Array.from({ length: 20_000 }, (_, n) => ({ n, s: 'x'.repeat(200) })));
    const scan = c.countDocuments({ $and: Array.from({ length: 20 }, (_, i) => ({ s: { $ne: `y${i}` } })) });
    let done = false;
    void scan.then(() => (done = true));
    let pings = 0;
    while (!done) {
      await t.db.command({ ping: 1 });
      pings++;
    }
    expect(await scan).toBe(20_000);
    expect(pings).toBeGreaterThan(3);
  });

  test('ends a catastrophic regular expression without blocking other work', async () => {
    const c = fresh();
    const text = `${'a'.repeat(40_000)}!`;
    await c.insertMany(Array.from({ length: 100 }, () => ({ text })));
    const other = await new MongoClient(t.server.uri).connect();
    try {
      let isAnswered = false;
      const found = c.countDocuments({ text: { $regex: '^(a+)+b' } }).finally(() => (isAnswered = true));
      let pings = 0;
      for (; !isAnswered; pings++) await other.db().command({ ping: 1 });
      expect(await found).toBe(0);
      expect(pings).toBeGreaterThan(3);
      const lookingAhead = c.countDocuments({ text: { $regex: '^(a+)+(?=b)' } }, { maxTimeMS: 200 });
      expect((await errorOf(lookingAhead)).code).toBe(50);
      await other.db().command({ ping: 1 });
    } finally {
      await other.close();
    }
  });

  test('databases and collections', async () => {
    const db = t.client.db('other');
    await db.createCollection('x');
    expect((await errorOf(db.createCollection('x'))).code).toBe(48);
    await db.collection('y').insertOne({});
    expect((await db.listCollections().toArray()).map((c) => c.name).sort()).toEqual(['x', 'y']);
    expect(await db.listCollections({ name: 'y' }, { nameOnly: true }).toArray()).toEqual([
      { name: 'y', type: 'collection' },
    ]);
    expect((await t.client.db().admin().listDatabases()).databases.map((d) => d.name)).toContain('other');
    expect(await db.dropCollection('y')).toBe(true);
    expect(await db.dropCollection('y')).toBe(true);
    expect(await db.collection('y').countDocuments()).toBe(0);
    await db.dropDatabase();
    expect(await db.listCollections().toArray()).toEqual([]);
  });

  test('fails a cursor whose collection is dropped', async () => {
    const db = t.client.db('dropped');
    const c = db.collection('c');
    await c.insertMany(Array.from({ length: 300 }, (_, i) => ({ i })));
    const cursor = c.find({}, { batchSize: 10 });
    await cursor.next();
    await db.dropDatabase();
    expect((await errorOf(cursor.toArray())).code).toBe(175);
    await c.insertOne({ again: true });
    expect(await c.countDocuments()).toBe(1);
  });
});
