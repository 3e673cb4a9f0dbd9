import { UNDEFINED, string as stringVal } from '../bson/make';
import { isNaNValue } from '../bson/number';
import { CLASS, T, classOf } from '../bson/types';
import { elementsOf, type Val } from '../bson/value';
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

const NULL_KEY = encodeValue(undefined);
const MINUS_INFINITY = Buffer.from([CLASS.NUMBER, 0x00, 0x0f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);

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
      return union([...t.values.map(equality), ...t.regexes.map(regex)]);
    case 'regex':
      return regex(t.pattern);
    case 'elemMatchValue':
      return elementBounds(
        t.tests.filter((e) => !e.negated).flatMap((e) => e.tests),
        t.tests.every((e) => !e.negated),
      );
    case 'exists':
    case 'type':
    case 'size':
    case 'mod':
    case 'elemMatchObject':
      return undefined;
  }
}

function equality(value: Val): Bounds {
  if (value.type === T.NULL) {
    return { intervals: [pointOf(NULL_KEY)], exact: false, exactWithoutArrays: true, matchesMissing: true };
  }
  if (value.type === T.ARRAY) {
    // The elements of an array are indexed, not the array itself. An array within an array is such an element.
    const first = elementsOf(value)[0] ?? UNDEFINED;
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
const CLASS_LOW: Readonly<Record<number, Buffer>> = {
  [CLASS.NUMBER]: MINUS_INFINITY,
  [CLASS.STRING]: Buffer.from([CLASS.STRING, 0, 1]),
  [CLASS.OBJECT]: Buffer.from([CLASS.OBJECT, 0]),
  [CLASS.BINARY]: Buffer.from([CLASS.BINARY, 0, 0, 0, 0]),
  [CLASS.OBJECT_ID]: Buffer.concat([Buffer.from([CLASS.OBJECT_ID]), Buffer.alloc(12)]),
  [CLASS.BOOL]: Buffer.from([CLASS.BOOL, 0]),
  [CLASS.DATE]: Buffer.concat([Buffer.from([CLASS.DATE]), Buffer.alloc(8)]),
  [CLASS.TIMESTAMP]: Buffer.concat([Buffer.from([CLASS.TIMESTAMP]), Buffer.alloc(8)]),
};

function comparison(op: 'lt' | 'lte' | 'gt' | 'gte', value: Val): Bounds | undefined {
  if (value.type === T.NULL) return op === 'lte' || op === 'gte' ? equality(value) : none;
  const cls = classOf(value.type);
  const lowest = CLASS_LOW[cls];
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
    low: Buffer.from([CLASS.REGEX]),
    lowInclusive: true,
    high: Buffer.from([CLASS.REGEX + 1]),
    highInclusive: false,
    point: false,
  };
  const strings: Interval =
    prefix === undefined
      ? {
          low: CLASS_LOW[CLASS.STRING]!,
          lowInclusive: true,
          high: Buffer.from([CLASS.STRING + 1]),
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
function elementBounds(tests: readonly Test[], complete: boolean): Bounds | undefined {
  let out: readonly Interval[] | undefined;
  let exactWithinArrays = complete;
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
