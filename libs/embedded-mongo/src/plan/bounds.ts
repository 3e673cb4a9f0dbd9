import { undefinedValue, string as stringVal } from '../bson/make';
import { isNaNValue } from '../bson/number';
import { CanonicalType, BsonType, classOf } from '../bson/types';
import { elementsOf, type BsonValue } from '../bson/value';
import { encodeValue } from '../keys/key-writer';
import type { Pattern, Test } from '../query/node';
import { prefixOf } from '../query/pattern';
import { intersection, normalized, pointOf, type Interval } from './interval';

/** The index bounds of a test on one field. */
export interface Bounds {
  readonly intervals: readonly Interval[];
  /** Whether every key within the bounds passes the test, so that the filter need not be applied to the document. */
  readonly exact: boolean;
  /** The same for an index without arrays on the path. */
  readonly exactWithoutArrays: boolean;
  /** The same for an index whose values are all elements of arrays. */
  readonly exactWithinArrays?: boolean;
  /** Whether documents without the field can pass the test. */
  readonly matchesMissing: boolean;
}

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
      return union(t.values.map(equality));
    case 'regex':
      return regex(t.pattern);
    case 'elemMatchValue':
      return elementBounds(t.tests);
    case 'exists':
    case 'elemMatchObject':
      return undefined;
  }
}

function equality(value: BsonValue): Bounds {
  if (value.type === BsonType.null) {
    return { intervals: [pointOf(nullKey)], exact: false, exactWithoutArrays: true, matchesMissing: true };
  }
  if (value.type === BsonType.array) {
    // The elements of an array are indexed, not the array itself. An array within an array is such an element.
    const first = elementsOf(value)[0] ?? undefinedValue;
    const intervals = normalized([pointOf(encodeValue(first)), pointOf(encodeValue(value))]);
    return { intervals, exact: false, exactWithoutArrays: false, matchesMissing: false };
  }
  return {
    intervals: [pointOf(encodeValue(value))],
    exact: true,
    exactWithoutArrays: true,
    matchesMissing: false,
  };
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
  [CanonicalType.timestamp]: Buffer.concat([Buffer.from([CanonicalType.timestamp]), Buffer.alloc(8)]),
};

function comparison(op: 'lt' | 'lte' | 'gt' | 'gte', value: BsonValue): Bounds | undefined {
  if (value.type === BsonType.null) return op === 'lte' || op === 'gte' ? equality(value) : none;
  const cls = classOf(value.type);
  const lowest = classLow[cls];
  if (lowest === undefined) return undefined;
  if (isNaNValue(value)) return op === 'lte' || op === 'gte' ? equality(value) : none;
  const key = encodeValue(value);
  const interval: Interval =
    op === 'lt' || op === 'lte'
      ? { low: lowest, lowInclusive: true, high: key, highInclusive: op === 'lte', point: false }
      : {
          low: key,
          lowInclusive: op === 'gte',
          high: Buffer.from([cls + 1]),
          highInclusive: false,
          point: false,
        };
  return { intervals: normalized([interval]), exact: true, exactWithoutArrays: true, matchesMissing: false };
}

const none: Bounds = { intervals: [], exact: true, exactWithoutArrays: true, matchesMissing: false };

function regex(p: Pattern): Bounds {
  const prefix = prefixOf(p);
  // A regular expression also matches stored regular expressions that are equal, which the filter must verify.
  const regexes: Interval = {
    low: Buffer.from([CanonicalType.regex]),
    lowInclusive: true,
    high: Buffer.from([CanonicalType.regex + 1]),
    highInclusive: false,
    point: false,
  };
  const strings: Interval =
    prefix === undefined
      ? {
          low: classLow[CanonicalType.string]!,
          lowInclusive: true,
          high: Buffer.from([CanonicalType.string + 1]),
          highInclusive: false,
          point: false,
        }
      : prefixInterval(prefix.text);
  return { intervals: [strings, regexes], exact: false, exactWithoutArrays: false, matchesMissing: false };
}

function prefixInterval(text: string): Interval {
  const low = encodeValue(stringVal(text)).subarray(0, -2);
  return { low, lowInclusive: true, high: low, highInclusive: true, point: false };
}

function union(parts: readonly Bounds[]): Bounds {
  return {
    intervals: normalized(parts.flatMap((p) => p.intervals)),
    exact: parts.every((p) => p.exact),
    exactWithoutArrays: parts.every((p) => p.exactWithoutArrays),
    matchesMissing: parts.some((p) => p.matchesMissing),
  };
}

/** A single element must pass all tests, so their bounds are intersected. */
function elementBounds(tests: readonly Test[]): Bounds | undefined {
  let out: readonly Interval[] | undefined;
  let exactWithinArrays = true;
  for (const t of tests) {
    // An array within the array is filed as a whole, so that its elements have no keys.
    const b = t.op === 'elemMatchValue' ? undefined : boundsOf(t);
    exactWithinArrays &&= b?.exact === true;
    if (b !== undefined) out = out === undefined ? b.intervals : intersection(out, b.intervals);
  }
  return (
    out && {
      intervals: out,
      exact: false,
      exactWithoutArrays: false,
      exactWithinArrays,
      matchesMissing: false,
    }
  );
}
