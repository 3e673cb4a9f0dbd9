import { undefinedValue, string as stringValue } from '../bson/make';
import { isNaNValue } from '../bson/number';
import { CanonicalType, BsonType, classOf } from '../bson/types';
import { elementsOf, type BsonValue } from '../bson/value';
import { after, encodeValue } from '../keys/key-writer';
import type { Pattern, Test } from '../query/node';
import { intersection, normalized, pointOf, type Interval } from './interval';

/** The index bounds of a test on one field. */
export interface Bounds {
  readonly intervals: readonly Interval[];
  /** Whether every key within the bounds passes the test, so that the filter need not be applied to the document. */
  readonly exact: boolean;
  /** The same for an index without arrays on the path. */
  readonly exactWithoutArrays: boolean;
  /** Whether documents without the field can pass the test. */
  readonly matchesMissing: boolean;
}

const boundsIn = (intervals: readonly Interval[], isExact: boolean): Bounds => ({
  intervals,
  exact: isExact,
  exactWithoutArrays: isExact,
  matchesMissing: false,
});
const exact = (...intervals: readonly Interval[]): Bounds => boundsIn(intervals, true);
const inexact = (intervals: readonly Interval[]): Bounds => boundsIn(intervals, false);

const nullKey = encodeValue(undefined);
const minusInfinity = Buffer.from([CanonicalType.number, 0x00, 0x0f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);

/** The bounds of a test, or undefined if an index cannot serve it. */
export function boundsOf(t: Test): Bounds | undefined {
  switch (t.op) {
    case 'eq':
      return equality(t.value);
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return comparison(t.op, t.value);
    case 'in':
      return union([...t.values.map(equality), ...t.patterns.map(startingWith)]);
    case 'regex':
      return startingWith(t.pattern);
    case 'elemMatch':
      return elementBounds(t.tests);
    case 'exists':
      return undefined;
  }
}

function equality(value: BsonValue): Bounds {
  if (value.type === BsonType.null) return { ...exact(pointOf(nullKey)), exact: false, matchesMissing: true };
  if (value.type !== BsonType.array) return exact(pointOf(encodeValue(value)));
  // The elements of an array are indexed, not the array itself. An array within an array is such an element.
  const first = elementsOf(value)[0] ?? undefinedValue;
  return inexact(normalized([pointOf(encodeValue(first)), pointOf(encodeValue(value))]));
}

/** The smallest encoding of each class that supports ranges. NaN is outside the range of numbers. */
const classLow: Readonly<Record<number, Buffer>> = {
  [CanonicalType.number]: minusInfinity,
  [CanonicalType.string]: Buffer.from([CanonicalType.string, 0, 1]),
  [CanonicalType.object]: Buffer.from([CanonicalType.object, 0]),
  [CanonicalType.binary]: Buffer.from([CanonicalType.binary, 0, 0, 0, 0]),
  [CanonicalType.objectId]: Buffer.concat([Buffer.from([CanonicalType.objectId]), Buffer.alloc(12)]),
  [CanonicalType.bool]: Buffer.from([CanonicalType.bool, 0]),
  [CanonicalType.date]: Buffer.concat([Buffer.from([CanonicalType.date]), Buffer.alloc(8)]),
};
const classHigh = (cls: number): Buffer => Buffer.from([cls + 1]);

function comparison(op: 'lt' | 'lte' | 'gt' | 'gte', value: BsonValue): Bounds | undefined {
  const orEqual = op === 'lte' || op === 'gte';
  if (value.type === BsonType.null || isNaNValue(value)) return orEqual ? equality(value) : exact();
  const cls = classOf(value.type);
  const lowest = classLow[cls];
  if (lowest === undefined) return undefined;
  const key = encodeValue(value);
  const range = {
    lt: [lowest, key],
    lte: [lowest, after(key)],
    gt: [after(key), classHigh(cls)],
    gte: [key, classHigh(cls)],
  } as const;
  const [low, high] = range[op];
  return exact(...normalized([{ low, high, point: false }]));
}

/** The strings with the prefix that every match of a pattern must have. */
function startingWith({ prefix }: Pattern): Bounds {
  if (prefix === undefined)
    return inexact([
      { low: classLow[CanonicalType.string]!, high: classHigh(CanonicalType.string), point: false },
    ]);
  const low = encodeValue(stringValue(prefix.text)).subarray(0, -2);
  return boundsIn([{ low, high: after(low), point: false }], prefix.whole);
}

function union(parts: readonly Bounds[]): Bounds {
  return {
    intervals: normalized(parts.flatMap((p) => p.intervals)),
    exact: parts.every((p) => p.exact),
    exactWithoutArrays: parts.every((p) => p.exactWithoutArrays),
    matchesMissing: parts.some((p) => p.matchesMissing),
  };
}

/**
 * A single element must pass all tests, so their bounds are intersected. As in MongoDB they are never exact: a key does
 * not show whether its value is an element of an array.
 */
function elementBounds(tests: readonly Test[]): Bounds | undefined {
  // An array within the array is indexed as a whole, so its elements have no keys.
  const bounded = tests
    .map((t) => (t.op === 'elemMatch' ? undefined : boundsOf(t)))
    .filter((bounds) => bounds !== undefined);
  if (bounded.length === 0) return undefined;
  return inexact(bounded.map((bounds) => bounds.intervals).reduce(intersection));
}
