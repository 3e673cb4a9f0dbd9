import { compare } from '../bson/compare';
import { isNaNValue } from '../bson/number';
import { CanonicalType, BsonType, classOf } from '../bson/types';
import { stringOf, type BsonValue } from '../bson/value';
import { anyElement, anyValue, type ValueTest } from '../keys/path';
import type { Node, Pattern, Test } from './node';

export type Matcher = (doc: BsonValue) => boolean;

/** Compiles a filter to a function. */
export function compileFilter(node: Node): Matcher {
  if (node.kind === 'field') {
    const { segments } = node.path;
    const expand = expandsArrays(node.test);
    const test = compileTest(node.test);
    return (doc) => anyValue(doc, segments, 0, test, expand);
  }
  if (node.kind === 'not') {
    const inner = compileFilter(node.node);
    return (doc) => !inner(doc);
  }
  const inner = node.nodes.map(compileFilter);
  if (node.kind === 'or') return (doc) => inner.some((m) => m(doc));
  if (node.kind === 'nor') return (doc) => !inner.some((m) => m(doc));
  if (inner.length === 0) return () => true;
  if (inner.length === 1) return inner[0]!;
  return (doc) => {
    for (const m of inner) if (!m(doc)) return false;
    return true;
  };
}

/** $elemMatch tests the array itself; all other operators also test its elements. */
const expandsArrays = (t: Test): boolean => t.op !== 'elemMatch';

export function compileTest(t: Test): ValueTest {
  switch (t.op) {
    case 'eq':
      return equalTo(t.value);
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return ordered(t.op, t.value);
    case 'in':
      return anyOf([...(t.values.length > 0 ? [oneOf(t.values)] : []), ...t.patterns.map(matching)]);
    case 'regex':
      return matching(t.pattern);
    case 'exists':
      return (v) => v !== undefined;
    case 'elemMatch': {
      const tests = t.tests.map(compileTest);
      return (v) => v?.type === BsonType.array && anyElement(v, (e) => tests.every((x) => x(e)));
    }
  }
}

/** The bytes of a string before and after its text. */
const lengthBytes = 4;
const endBytes = 1;

/** A pattern that is only a prefix is compared as bytes, without decoding the value. */
function matching(pattern: Pattern): ValueTest {
  const { prefix } = pattern;
  if (prefix?.whole !== true) return (v) => v?.type === BsonType.string && pattern.test(stringOf(v));
  const text = Buffer.from(prefix.text);
  const n = text.length;
  return (v) => {
    if (v?.type !== BsonType.string) return false;
    const from = v.start + lengthBytes;
    return from + n <= v.end - endBytes && v.bytes.compare(text, 0, n, from, from + n) === 0;
  };
}

const isNullish = (v: BsonValue | undefined): boolean => v === undefined || v.type === BsonType.null;

function equalTo(value: BsonValue): ValueTest {
  if (value.type === BsonType.null) return isNullish;
  const cls = classOf(value.type);
  if (cls === CanonicalType.string) {
    const n = value.end - value.start;
    return (v) =>
      v !== undefined &&
      v.end - v.start === n &&
      classOf(v.type) === CanonicalType.string &&
      value.bytes.compare(v.bytes, v.start, v.end, value.start, value.end) === 0;
  }
  return (v) => v !== undefined && classOf(v.type) === cls && compare(v, value) === 0;
}

function ordered(op: 'lt' | 'lte' | 'gt' | 'gte', value: BsonValue): ValueTest {
  const orEqual = op === 'lte' || op === 'gte';
  const below = op === 'lt' || op === 'lte';
  if (value.type === BsonType.null) return orEqual ? isNullish : () => false;
  const cls = classOf(value.type);
  const nan = isNaNValue(value);
  return (v) => {
    if (v === undefined || classOf(v.type) !== cls) return false;
    if (cls === CanonicalType.number && (nan || isNaNValue(v))) return nan && isNaNValue(v) && orEqual;
    const order = compare(v, value);
    return order === 0 ? orEqual : order < 0 === below;
  };
}

const lookupValuesMin = 8;

function oneOf(values: readonly BsonValue[]): ValueTest {
  const tests: ValueTest[] = [];
  const strings = values.filter((v) => v.type === BsonType.string);
  if (strings.length >= lookupValuesMin) {
    const known = new Set(strings.map(stringOf));
    tests.push((v) => v !== undefined && v.type === BsonType.string && known.has(stringOf(v)));
    tests.push(...values.filter((v) => v.type !== BsonType.string).map(equalTo));
  } else {
    tests.push(...values.map(equalTo));
  }
  return anyOf(tests);
}

const anyOf = (tests: readonly ValueTest[]): ValueTest =>
  tests.length === 1 ? tests[0]! : (v) => tests.some((t) => t(v));
