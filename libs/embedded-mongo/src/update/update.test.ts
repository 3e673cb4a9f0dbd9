import { Double, Int32, Long, type Document } from 'bson';
import { codeOf, doc, plain, typed, val } from '../testing/documents';
import { parseFilter } from '../query/parse';
import { applyUpdate, parseUpdate } from './update';
import { upsertDocument } from './upsert';

interface Case {
  readonly before: object;
  readonly update: object;
}

const run = ({ before, update }: Case) => applyUpdate(doc(before), parseUpdate(val(update)), false);

type Row = [before: object, update: object, after: object];

const tables: Record<string, Row[]> = {
  replacement: [
    [{ _id: 1, a: 1 }, { b: 2 }, { _id: 1, b: 2 }],
    [
      { _id: 1, a: 1 },
      { b: 2, _id: 1 },
      { _id: 1, b: 2 },
    ],
    [{ _id: 1, a: 1 }, {}, { _id: 1 }],
  ],
  $set: [
    [{ a: 1 }, { $set: { b: 2 } }, { a: 1, b: 2 }],
    [{ a: 1, b: 1 }, { $set: { a: 'x' } }, { a: 'x', b: 1 }],
    [{}, { $set: { 'a.b.c': 1 } }, { a: { b: { c: 1 } } }],
    [{ a: { x: 1 } }, { $set: { 'a.y': 2 } }, { a: { x: 1, y: 2 } }],
    [{}, { $set: { z: 1, b: 2, 'a.9': 3, 'a.10': 4 } }, { a: { 9: 3, 10: 4 }, b: 2, z: 1 }],
    [{ a: 1 }, { $set: {} }, { a: 1 }],
  ],
  $unset: [
    [{ a: 1, b: 2 }, { $unset: { a: '' } }, { b: 2 }],
    [{ a: { b: 1 } }, { $unset: { 'a.b': 1 } }, { a: {} }],
    [{ a: 1 }, { $unset: { 'a.b': 1, c: 1 } }, { a: 1 }],
  ],
  $inc: [
    [{ a: 1 }, { $inc: { a: 2 } }, { a: 3 }],
    [{}, { $inc: { a: 2 } }, { a: 2 }],
    [{ a: { b: 1.5 } }, { $inc: { 'a.b': 1 } }, { a: { b: 2.5 } }],
  ],
  '$min $max': [
    [{ a: 5 }, { $min: { a: 3 } }, { a: 3 }],
    [{ a: 5 }, { $min: { a: 8 } }, { a: 5 }],
    [{ a: 5 }, { $max: { a: 8 } }, { a: 8 }],
    [{}, { $max: { a: 8 } }, { a: 8 }],
    [{ a: 'x' }, { $min: { a: 8 } }, { a: 8 }],
    [{ a: new Date(1) }, { $max: { a: new Date(2) } }, { a: new Date(2) }],
  ],
  $setOnInsert: [[{ a: 1 }, { $setOnInsert: { a: 2, 'x.y': 1 } }, { a: 1 }]],
  $push: [
    [{ a: [1] }, { $push: { a: 2 } }, { a: [1, 2] }],
    [{}, { $push: { a: 2 } }, { a: [2] }],
    [{ a: [1] }, { $push: { a: [2, 3] } }, { a: [1, [2, 3]] }],
    [{ a: [1] }, { $push: { a: { $each: [2, 3] } } }, { a: [1, 2, 3] }],
    [{ a: [1, 2] }, { $push: { a: { $each: [3, 4], $slice: -3 } } }, { a: [2, 3, 4] }],
    [{ a: [1, 2] }, { $push: { a: { $each: [], $slice: -3 } } }, { a: [1, 2] }],
  ],
  $addToSet: [
    [{ a: [1] }, { $addToSet: { a: 1 } }, { a: [1] }],
    [{ a: [1] }, { $addToSet: { a: 2 } }, { a: [1, 2] }],
    [{}, { $addToSet: { a: 2 } }, { a: [2] }],
    [{ a: [] }, { $addToSet: { a: { x: 1, y: 2 } } }, { a: [{ x: 1, y: 2 }] }],
    [{ a: [{ x: 1 }] }, { $addToSet: { a: { x: new Double(1) } } }, { a: [{ x: 1 }] }],
  ],
  $pull: [
    [{ a: [1, 2, 1] }, { $pull: { a: 1 } }, { a: [2] }],
    [{ a: [{ x: 1, y: 2 }, { x: 2 }] }, { $pull: { a: { x: 1 } } }, { a: [{ x: 2 }] }],
    [{ a: [{ x: 1, y: 2 }, { x: 2 }] }, { $pull: { a: { x: { $in: [1, 2] }, y: 2 } } }, { a: [{ x: 2 }] }],
    [{}, { $pull: { a: 1 } }, {}],
    [
      { a: [{ r: [1, 2] }, { r: [3] }] },
      { $pull: { a: { r: { $elemMatch: { $gt: 2 } } } } },
      { a: [{ r: [1, 2] }] },
    ],
  ],
  'several operators': [
    [
      { a: 1, l: [] },
      { $inc: { a: 1 }, $push: { l: 'x' }, $set: { s: true } },
      { a: 2, l: ['x'], s: true },
    ],
  ],
};

describe.each(Object.entries(tables))('%s', (_name, rows) => {
  test.each(rows.map((r) => [JSON.stringify(r), ...r] as const))('%s', (_text, before, update, after) => {
    const result = plain(run({ before, update }));
    expect(result).toEqual(after);
    expect(JSON.stringify(result)).toBe(JSON.stringify(after));
  });
});

describe('types of numbers', () => {
  const inc = (a: unknown, by: unknown): Document =>
    typed(run({ before: { a }, update: { $inc: { a: by } } }));
  test.each([
    [new Int32(1), new Int32(2), new Int32(3)],
    [new Int32(2147483647), new Int32(1), Long.fromString('2147483648')],
    [new Int32(1), Long.fromNumber(1), Long.fromNumber(2)],
    [new Int32(1), new Double(1), new Double(2)],
    [Long.fromNumber(1), new Double(0.5), new Double(1.5)],
  ])('%p + %p is %p', (a, by, sum) => {
    expect(inc(a, by).a).toEqual(sum);
  });

  test('keeps the type and position of unchanged fields', () => {
    const before = { _id: 1, d: new Double(5), l: Long.fromNumber(5), 10: 'x', 2: 'y', n: new Int32(1) };
    const after = typed(run({ before, update: { $inc: { n: 1 } } }));
    expect(after.d).toEqual(new Double(5));
    expect(after.l).toEqual(Long.fromNumber(5));
  });

  test('fails on a 64-bit overflow', () => {
    const before = { a: Long.MAX_VALUE };
    expect(codeOf(() => run({ before, update: { $inc: { a: 1 } } }))).toBe(2);
  });
});

test.each<[object, object, number]>([
  [{ a: 1 }, { $foo: { a: 1 } }, 9],
  ...['$mul', '$rename', '$currentDate', '$pop', '$pullAll', '$bit'].map(
    (operator): [object, object, number] => [{ a: 1 }, { [operator]: { a: 1 } }, 9],
  ),
  [{ a: 1 }, [{ $set: { a: 2 } }], 9],
  [{ a: [1] }, { $set: { 'a.0': 2 } }, 2],
  [{ a: [1] }, { $unset: { 'a.0': 1 } }, 2],
  [{ a: [{ b: 1 }] }, { $inc: { 'a.0.b': 1 } }, 2],
  [{ a: [1] }, { $set: { 'a.$': 2 } }, 2],
  [{ a: [1] }, { $set: { 'a.$[]': 2 } }, 2],
  [{ a: [1] }, { $set: { 'a.$[x]': 2 } }, 2],
  [{ a: [] }, { $push: { a: { $each: [1], $position: 0 } } }, 2],
  [{ a: [] }, { $push: { a: { $each: [1], $sort: 1 } } }, 2],
  [{ a: [] }, { $pull: { a: { $gte: 1 } } }, 2],
  [{ a: 1 }, { $set: { a: 1 }, b: 1 }, 9],
  [{ a: 1 }, { b: 1, $set: { a: 1 } }, 52],
  [{ a: 1 }, { $set: 5 }, 9],
  [{ a: 1 }, { $set: { a: 1 }, $inc: { a: 1 } }, 40],
  [{ a: 1 }, { $set: { a: 1, 'a.b': 1 } }, 40],
  [{ a: 1 }, { $set: { 'a.b': 1, a: 1 } }, 40],
  [{ a: 1 }, { $set: { 'a.b': 1 } }, 28],
  [{ a: [1] }, { $set: { 'a.b': 1 } }, 28],
  [{ a: null }, { $set: { 'a.b': 1 } }, 28],
  [{ a: 'x' }, { $inc: { a: 1 } }, 14],
  [{ a: 1 }, { $inc: { a: 'x' } }, 14],
  [{ a: 1 }, { $push: { a: 1 } }, 2],
  [{ a: [] }, { $push: { a: { $each: 1 } } }, 2],
  [{ a: [] }, { $push: { a: { $each: [], $foo: 1 } } }, 2],
  [{ a: [] }, { $push: { a: { $each: [], $slice: 'x' } } }, 2],
  [{ a: [] }, { $push: { a: { $each: [], $slice: 1 } } }, 2],
  [{ a: 1 }, { $addToSet: { a: 1 } }, 2],
  [{ a: [] }, { $addToSet: { a: { $each: [1] } } }, 2],
  [{ a: 1 }, { $pull: { a: 1 } }, 2],
  [{ _id: 1 }, { $set: { _id: 2 } }, 66],
  [{ _id: 1 }, { $unset: { _id: 1 } }, 66],
  [{ _id: 1 }, { _id: 2 }, 66],
  [{ a: 1 }, { $set: { 'a.': 1 } }, 56],
  [{ a: 1 }, { $set: { '': 1 } }, 56],
  [{ a: 1 }, { $set: { $a: 1 } }, 52],
])('rejects an update of %j with %j with code %i', (before, update, code) => {
  expect(codeOf(() => run({ before, update }))).toBe(code);
});

test('changes nothing for $set of the same _id', () => {
  expect(plain(run({ before: { _id: 1, a: 1 }, update: { $set: { _id: 1, a: 2 } } }))).toEqual({
    _id: 1,
    a: 2,
  });
});

describe('upsert', () => {
  const upsert = (filter: object, update: object): Document => {
    return plain(upsertDocument(parseFilter(doc(filter)), parseUpdate(val(update))));
  };
  test.each([
    [{ a: 1 }, { $set: { b: 2 } }, { a: 1, b: 2 }],
    [{ a: 1, b: { $gt: 5 } }, { $set: { c: 2 } }, { a: 1, c: 2 }],
    [{ $and: [{ a: 1 }, { 'b.c': 2 }] }, { $set: { d: 1 } }, { a: 1, b: { c: 2 }, d: 1 }],
    [{ a: 1 }, { $setOnInsert: { b: 2 }, $inc: { n: 1 } }, { a: 1, b: 2, n: 1 }],
    [{ $or: [{ a: 1 }, { a: 2 }] }, { $set: { b: 1 } }, { b: 1 }],
    [{ a: { $in: [1] } }, { $set: { b: 1 } }, { a: 1, b: 1 }],
    [{ a: { $in: [1, 2] } }, { $set: { b: 1 } }, { b: 1 }],
    [{ _id: 7, a: 1 }, { b: 1 }, { _id: 7, b: 1 }],
  ])('for %j with %j, inserts %j', (filter, update, expected) => {
    expect(upsert(filter, update)).toEqual(expected);
  });

  test('fails if the filter fixes a field twice', () => {
    expect(codeOf(() => upsert({ $and: [{ a: 1 }, { a: 1 }] }, { $set: { b: 1 } }))).toBe(54);
  });

  test('fails if the filter and the update disagree about _id', () => {
    expect(codeOf(() => upsert({ _id: 1 }, { $set: { _id: 2 } }))).toBe(66);
  });
});
