import { codeOf, doc, plain, val } from '../testing/documents';
import { parseFilter } from '../query/parse';
import { applyUpdate, parseUpdate } from './update';

const run = (before: object, ...stages: object[]) =>
  applyUpdate(doc(before), parseUpdate(val(stages), undefined), {
    filter: parseFilter(doc({})),
    inserting: false,
    now: 86_400_000,
  });

/** The value of an expression for a document; undefined if it is missing. */
const evaluate = (expression: unknown, before: object = {}): unknown =>
  plain(run(before, { $set: { r: expression } })).r;

test.each<[object, object[], object]>([
  [{ a: 1 }, [{ $set: { b: '$a' } }], { a: 1, b: 1 }],
  [{ a: 1 }, [{ $addFields: { 'x.y': '$a' } }], { a: 1, x: { y: 1 } }],
  [{ x: { k: 1 } }, [{ $set: { x: { y: 2 } } }], { x: { k: 1, y: 2 } }],
  [{ x: [{ k: 1 }, 5] }, [{ $set: { 'x.y': 2 } }], { x: [{ k: 1, y: 2 }, { y: 2 }] }],
  [{ a: 1 }, [{ $set: { a: '$missing' } }], {}],
  [{ a: 1, b: 2 }, [{ $unset: 'a' }], { b: 2 }],
  [{ a: 1, b: { c: 1, d: 2 } }, [{ $unset: ['a', 'b.c'] }], { b: { d: 2 } }],
  [{ a: [{ x: 1, y: 2 }] }, [{ $unset: 'a.x' }], { a: [{ y: 2 }] }],
  [{ a: { b: 1 } }, [{ $replaceWith: '$a' }], { b: 1 }],
  [{ a: { b: 1 } }, [{ $replaceWith: { $mergeObjects: ['$$ROOT', { c: 2 }] } }], { a: { b: 1 }, c: 2 }],
  [{ n: 1 }, [{ $set: { n: { $add: ['$n', 1] } } }, { $set: { n: { $add: ['$n', 1] } } }], { n: 3 }],
  [{ a: 1 }, [{ $set: { a: { $literal: '$a' } } }], { a: '$a' }],
  [{ a: 1 }, [{ $set: { a: '$$REMOVE' } }], {}],
  [{}, [{ $set: { now: '$$NOW' } }], { now: new Date(86_400_000) }],
])('%j through %j is %j', (before, stages, after) => {
  expect(plain(run(before, ...stages))).toEqual(after);
});

test.each<[unknown, object, unknown]>([
  [{ $add: [1, 2.5] }, {}, 3.5],
  [{ $add: ['$d', 5] }, { d: new Date(0) }, new Date(5)],
  [{ $add: [1, null] }, {}, null],
  [{ $add: [1, '$missing'] }, {}, null],
  [{ $subtract: [5, 2] }, {}, 3],
  [{ $subtract: ['$d', 5] }, { d: new Date(10) }, new Date(5)],
  [{ $subtract: ['$d', '$e'] }, { d: new Date(10), e: new Date(4) }, 6],
  [{ $multiply: [2, 3, 4] }, {}, 24],
  [{ $concat: ['a', '$s'] }, { s: 'b' }, 'ab'],
  [{ $concat: ['a', null] }, {}, null],
  [{ $concatArrays: ['$l', [3]] }, { l: [1, 2] }, [1, 2, 3]],
  [{ $concatArrays: ['$l', '$missing'] }, { l: [1] }, null],
  [{ $filter: { input: '$l', cond: { $gt: ['$$this', 1] } } }, { l: [1, 2, 3] }, [2, 3]],
  [
    { $filter: { input: '$l', as: 'x', cond: { $ne: ['$$x.k', 1] } } },
    { l: [{ k: 1 }, { k: 2 }] },
    [{ k: 2 }],
  ],
  [{ $filter: { input: '$l', cond: true, limit: 2 } }, { l: [1, 2, 3] }, [1, 2]],
  [{ $filter: { input: null, cond: true } }, {}, null],
  [{ $map: { input: '$l', in: { $multiply: ['$$this', 2] } } }, { l: [1, 2] }, [2, 4]],
  [{ $map: { input: '$l', as: 'x', in: { v: '$$x', w: '$w' } } }, { l: [1], w: 'k' }, [{ v: 1, w: 'k' }]],
  [{ $reduce: { input: '$l', initialValue: 0, in: { $add: ['$$value', '$$this'] } } }, { l: [1, 2, 3] }, 6],
  [
    { $reduce: { input: '$l', initialValue: [], in: { $concatArrays: ['$$value', ['$$this']] } } },
    { l: [1] },
    [1],
  ],
  [{ $size: '$l' }, { l: [1, 2] }, 2],
  [{ $arrayElemAt: ['$l', 0] }, { l: ['a', 'b'] }, 'a'],
  [{ $arrayElemAt: ['$l', -1] }, { l: ['a', 'b'] }, 'b'],
  [{ $arrayElemAt: ['$l', 5] }, { l: ['a'] }, undefined],
  [{ $in: [2, '$l'] }, { l: [1, 2] }, true],
  [{ $in: ['$k', ['a', 'b']] }, { k: 'c' }, false],
  [{ $ifNull: ['$a', 7] }, {}, 7],
  [{ $ifNull: ['$a', '$b', 7] }, { b: 0 }, 0],
  [{ $cond: [{ $gt: ['$a', 1] }, 'yes', 'no'] }, { a: 2 }, 'yes'],
  [{ $cond: { if: '$a', then: 1, else: 2 } }, { a: 0 }, 2],
  [{ $switch: { branches: [{ case: { $eq: ['$a', 1] }, then: 'x' }], default: 'y' } }, { a: 1 }, 'x'],
  [{ $switch: { branches: [{ case: false, then: 'x' }], default: 'y' } }, {}, 'y'],
  [{ $eq: ['$a', 1] }, { a: 1 }, true],
  [{ $eq: ['$a', null] }, {}, false],
  [{ $ne: ['$a', 1] }, {}, true],
  [{ $gt: ['$a', null] }, { a: 1 }, true],
  [{ $gt: ['$missing', null] }, {}, false],
  [{ $gte: [1, 1] }, {}, true],
  [{ $lt: ['a', 5] }, {}, false],
  [{ $lte: ['$missing', null] }, {}, true],
  [{ $and: [1, 'x'] }, {}, true],
  [{ $and: [1, 0] }, {}, false],
  [{ $or: [null, '$a'] }, { a: '' }, true],
  [{ $not: ['$a'] }, {}, true],
  [{ $max: [1, 5, null] }, {}, 5],
  [{ $max: '$l' }, { l: [1, 9, 3] }, 9],
  [{ $min: ['$a', '$b'] }, { a: 3, b: 2 }, 2],
  [{ $max: ['$x', '$y'] }, {}, null],
  [{ $mergeObjects: ['$a', null, { z: 1 }] }, { a: { y: 2 } }, { y: 2, z: 1 }],
  [{ $toString: '$a' }, { a: 12 }, '12'],
  [{ $toString: new Date(0) }, {}, '1970-01-01T00:00:00.000Z'],
  [{ $type: '$a' }, { a: 'x' }, 'string'],
  [{ $type: '$a' }, {}, 'missing'],
  ['$a.b', { a: [{ b: 1 }, { c: 1 }, { b: 2 }] }, [1, 2]],
  ['$a.b', { a: 5 }, undefined],
])('%j on %j is %j', (expression, before, expected) => {
  expect(evaluate(expression, before)).toEqual(expected);
});

test.each<[object[], number]>([
  [[{ $lookup: {} }], 40324],
  [[{ $set: { a: 1 }, $unset: 'b' }], 40323],
  [[{ $set: { a: { $foo: 1 } } }], 168],
  [[{ $set: { a: { $add: [1], $subtract: [1, 2] } } }], 15983],
  [[{ $set: { a: '$$nope' } }], 17276],
  [[{ $set: { a: { $subtract: [1] } } }], 16020],
  [[{ $set: { a: { $add: ['x', 1] } } }], 14],
  [[{ $set: { a: { $concat: [1] } } }], 16702],
  [[{ $set: { a: { $size: 5 } } }], 17124],
  [[{ $set: { a: { $in: [1, 2] } } }], 40081],
  [[{ $set: { a: { $map: { input: 5, in: 1 } } } }], 16883],
  [[{ $set: { a: { $filter: { input: 5, cond: 1 } } } }], 28651],
  [[{ $set: { a: { $switch: { branches: [{ case: false, then: 1 }] } } } }], 40066],
  [[{ $set: { a: { $mergeObjects: [5] } } }], 40400],
  [[{ $replaceWith: 5 }], 40228],
  [[{ $unset: 5 }], 31120],
  [[{ $set: 5 }], 40272],
])('%j is refused with code %i', (stages, code) => {
  expect(codeOf(() => run({}, ...stages))).toBe(code);
});
