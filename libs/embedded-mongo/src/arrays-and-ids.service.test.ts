import { Double, Int32, Long } from 'mongodb';
import { errorOf, startTestServer, type TestServer } from './testing/server';

/** Rules of the MongoDB manual for nested arrays, sums and `_id` that are easy to get wrong. */

let t: TestServer;
beforeAll(async () => {
  t = await startTestServer();
});
afterAll(() => t.stop());

let n = 0;
const fresh = () => t.db.collection<{ _id: number; [field: string]: unknown }>(`a${++n}`);

test('finds the same documents by a field in an array, with and without an index', async () => {
  const c = fresh();
  await c.insertMany([
    { _id: 1, d: [{ x: [1, 9] }] },
    { _id: 2, d: [{ x: 5 }] },
    { _id: 3, d: [[{ x: 5 }]] },
    { _id: 4, d: [{ x: [[5]] }] },
    { _id: 5, d: { x: 5 } },
    { _id: 6, d: [{ x: 1 }, { x: 9 }] },
  ]);
  const found = async () => {
    const ids: number[][] = [];
    for (const filter of [
      // Different elements may satisfy the two conditions.
      { 'd.x': { $gt: 4, $lt: 6 } },
      { 'd.x': { $elemMatch: { $gt: 6, $lt: 4 } } },
      { 'd.x': { $elemMatch: { $gt: 6 } } },
      { 'd.0.x': 5 },
      { 'd.x': [5] },
    ])
      ids.push((await c.find(filter).sort({ _id: 1 }).toArray()).map((d) => d._id));
    return ids;
  };
  const expected = [[1, 2, 5, 6], [], [1], [2, 3], [4]];
  expect(await found()).toEqual(expected);
  await c.createIndex({ 'd.x': 1 });
  expect(await found()).toEqual(expected);
});

test('ignores values that are not numbers in $sum, including arrays, and keeps the widest type', async () => {
  const c = fresh();
  await c.insertMany([
    { _id: 1, g: 'int', v: new Int32(1) },
    { _id: 2, g: 'int', v: new Int32(2) },
    { _id: 3, g: 'int', v: [5] },
    { _id: 4, g: 'long', v: Long.fromNumber(1) },
    { _id: 5, g: 'long', v: new Int32(2) },
    { _id: 6, g: 'double', v: new Double(1.5) },
    { _id: 7, g: 'double', v: new Int32(2) },
    { _id: 8, g: 'text', v: 'x' },
  ]);
  const options = { promoteValues: false, promoteLongs: false };
  const rows = await c.aggregate([{ $group: { _id: '$g', sum: { $sum: '$v' } } }], options).toArray();
  const typed = rows.map(({ _id, sum }) => [_id, `${sum._bsontype} ${String(sum)}`]);
  expect(Object.fromEntries(typed)).toEqual({
    int: 'Int32 3',
    long: 'Long 3',
    double: 'Double 3.5',
    text: 'Int32 0',
  });
});

test('rejects an _id that contains an operator', async () => {
  const e = await errorOf(fresh().insertOne({ _id: { $a: 1 } } as never));
  expect(e.code).toBe(52);
});

test('uses the value of $in in an upsert if there is only one', async () => {
  const c = fresh();
  await c.updateOne({ _id: 1, k: { $in: [5] } }, { $set: { v: 1 } }, { upsert: true });
  await c.updateOne({ _id: 2, k: { $in: [5, 6] } }, { $set: { v: 2 } }, { upsert: true });
  expect(await c.find().sort({ _id: 1 }).toArray()).toEqual([
    { _id: 1, k: 5, v: 1 },
    { _id: 2, v: 2 },
  ]);
});
