import { compare } from '../bson/compare';
import { isNaNValue } from '../bson/number';
import { classOf } from '../bson/types';
import type { BsonValue } from '../bson/value';
import type { Node, Test } from '../query/node';
import { conjunctsOf, requiresPresence } from './conditions';

/** True if every document that matches all of `conjuncts` also matches `wanted`, the filter of a partial index. */
export function implies(conjuncts: readonly Node[], wanted: Node): boolean {
  if (wanted.kind === 'and') return wanted.nodes.every((n) => implies(conjuncts, n));
  if (wanted.kind === 'or')
    return wanted.nodes.some((n) => implies(conjuncts, n)) || impliedByCases(conjuncts, wanted);
  if (conjuncts.some((c) => same(c, wanted))) return true;
  if (wanted.kind !== 'field') return impliedByCases(conjuncts, wanted);
  const { path, test } = wanted;
  for (const c of conjuncts) {
    if (test.op === 'exists' && requiresPresence(c, path.text)) return true;
    if (c.kind === 'field' && c.path.text === path.text && testImplies(c.test, test)) return true;
  }
  return impliedByCases(conjuncts, wanted);
}

/** An $or implies what each of its branches implies. */
const impliedByCases = (conjuncts: readonly Node[], wanted: Node): boolean =>
  conjuncts.some((c) => c.kind === 'or' && c.nodes.every((branch) => implies(conjunctsOf(branch), wanted)));

function testImplies(given: Test, wanted: Test): boolean {
  if (given.op === 'eq') return valuePasses(given.value, wanted);
  if (given.op === 'in') return given.values.every((v) => valuePasses(v, wanted));
  if (given.op !== 'lt' && given.op !== 'lte' && given.op !== 'gt' && given.op !== 'gte') return false;
  if (wanted.op !== 'lt' && wanted.op !== 'lte' && wanted.op !== 'gt' && wanted.op !== 'gte') return false;
  // NaN sorts below all numbers in an index, but comparisons of NaN with other numbers are false.
  if (isNaNValue(given.value) || isNaNValue(wanted.value)) return false;
  if (given.op[0] !== wanted.op[0] || classOf(given.value.type) !== classOf(wanted.value.type)) return false;
  const c = compare(given.value, wanted.value);
  if (c === 0) return given.op === wanted.op || wanted.op.endsWith('e');
  return given.op[0] === 'g' ? c > 0 : c < 0;
}

/** True if a value equal to `v` always passes the test. */
function valuePasses(v: BsonValue, wanted: Test): boolean {
  switch (wanted.op) {
    case 'eq':
      return compare(v, wanted.value) === 0;
    case 'in':
      return wanted.values.some((w) => compare(v, w) === 0);
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte': {
      if (classOf(v.type) !== classOf(wanted.value.type)) return false;
      const c = compare(v, wanted.value);
      if (c === 0) return wanted.op.endsWith('e');
      if (isNaNValue(v) || isNaNValue(wanted.value)) return false;
      return wanted.op[0] === 'g' ? c > 0 : c < 0;
    }
    case 'exists':
    case 'regex':
    case 'elemMatchValue':
    case 'elemMatchObject':
      return false;
  }
}

const same = (a: Node, b: Node): boolean => a === b || structure(a) === structure(b);

/** A filter is compared with many indexes and vice versa, so its text is cached. */
const printed = new WeakMap<Node, string>();

function structure(n: Node): string {
  let text = printed.get(n);
  if (text === undefined) printed.set(n, (text = print(n)));
  return text;
}

function print(n: Node): string {
  return JSON.stringify(n, (_key, value: unknown) => {
    if (value !== null && typeof value === 'object' && 'bytes' in value && 'start' in value) {
      const v = value as BsonValue;
      return [v.type, v.bytes.toString('hex', v.start, v.end)];
    }
    return value;
  });
}
