import { codeOf, doc, plain } from '../testing/documents';
import { parseProjection } from './projection';
import { parseSort, sortKey } from './sort';

const project = (spec: object, d: object): object => {
  const p = parseProjection(doc(spec));
  return plain(p === undefined ? doc(d) : p(doc(d)));
};

test.each<[object, object, object]>([
  [{}, { _id: 1, a: 1 }, { _id: 1, a: 1 }],
  [{ a: 1 }, { _id: 1, a: 1, b: 2 }, { _id: 1, a: 1 }],
  [{ a: 1, _id: 0 }, { _id: 1, a: 1, b: 2 }, { a: 1 }],
  [{ _id: 1 }, { _id: 1, a: 1 }, { _id: 1 }],
  [{ _id: 0 }, { _id: 1, a: 1 }, { a: 1 }],
  [{ a: 0 }, { _id: 1, a: 1, b: 2 }, { _id: 1, b: 2 }],
  [
    { a: 0, _id: 1 },
    { _id: 1, a: 1, b: 2 },
    { _id: 1, b: 2 },
  ],
  [{ a: true }, { _id: 1, a: 1 }, { _id: 1, a: 1 }],
  [{ 'a.b': 1 }, { _id: 1, a: { b: 1, c: 2 }, d: 1 }, { _id: 1, a: { b: 1 } }],
  [{ 'a.b': 1 }, { _id: 1, a: [{ b: 1, c: 2 }, 5, { c: 3 }] }, { _id: 1, a: [{ b: 1 }, {}] }],
  [{ 'a.b': 1 }, { _id: 1, a: 5 }, { _id: 1 }],
  [{ 'a.b': 0 }, { _id: 1, a: [{ b: 1, c: 2 }, 5] }, { _id: 1, a: [{ c: 2 }, 5] }],
  [
    { 'a.b': 1, 'a.c': 1 },
    { _id: 1, a: { c: 2, b: 1, d: 3 } },
    { _id: 1, a: { c: 2, b: 1 } },
  ],
])('projects %j of %j to %j', (spec, d, expected) => {
  expect(project(spec, d)).toEqual(expected);
});

test.each<[object, number]>([
  [{ a: 1, b: 0 }, 31254],
  [{ a: 0, b: 1 }, 31253],
  [{ 'a.$': 1 }, 16410],
  [{ a: { $foo: 1 } }, 31325],
  [{ a: '$b' }, 31252],
  [{ 'a.b': 1, a: 1 }, 31249],
  [{ a: { $slice: 1 } }, 31325],
  [{ a: { $elemMatch: { x: 1 } } }, 31325],
  [{ $a: 1 }, 16410],
])('rejects %j with code %i', (spec, code) => {
  expect(codeOf(() => parseProjection(doc(spec)))).toBe(code);
});

describe('sorting', () => {
  const order = (sort: object, docs: object[]): unknown[] => {
    const s = parseSort(doc(sort))!;
    return docs
      .map((d) => ({ d, key: sortKey(s, doc(d)) }))
      .sort((a, b) => a.key.compare(b.key))
      .map(({ d }) => (d as { _id: unknown })._id);
  };

  const docs = [
    { _id: 'two', a: 2 },
    { _id: 'text', a: 'x' },
    { _id: 'none' },
    { _id: 'null', a: null },
    { _id: 'empty', a: [] },
    { _id: 'three-nine', a: [3, 9] },
    { _id: 'one-seven', a: [1, 7] },
    { _id: 'deep', a: [[0]] },
  ];

  test('uses the least element when ascending, sorts an empty array before null, and treats missing as null', () => {
    expect(order({ a: 1 }, docs)).toEqual([
      'empty',
      'none',
      'null',
      'one-seven',
      'two',
      'three-nine',
      'text',
      'deep',
    ]);
  });

  test('uses the greatest element when descending', () => {
    expect(order({ a: -1 }, docs)).toEqual([
      'deep',
      'text',
      'three-nine',
      'one-seven',
      'two',
      'none',
      'null',
      'empty',
    ]);
  });

  test('traverses arrays on dotted paths', () => {
    const items = [
      { _id: 1, i: [{ n: 5 }, { n: 1 }] },
      { _id: 2, i: [{ n: 2 }] },
      { _id: 3, i: { n: 3 } },
    ];
    expect(order({ 'i.n': 1 }, items)).toEqual([1, 2, 3]);
    expect(order({ 'i.n': -1 }, items)).toEqual([1, 3, 2]);
  });

  test.each([{ a: 2 }, { a: 'x' }, { '': 1 }, { $a: 1 }])('rejects %j', (sort) => {
    expect(codeOf(() => parseSort(doc(sort)))).toBe(2);
  });
});
