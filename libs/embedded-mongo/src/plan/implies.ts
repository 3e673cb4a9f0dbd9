import { compare } from '../bson/compare';
import { isNaNValue } from '../bson/number';
import { classOf } from '../bson/types';
import { compileTest } from '../query/match';
import type { Node, Test } from '../query/node';
import { conjunctsOf, requiresPresence } from './conditions';

/** True if every document that matches all of `conjuncts` also matches `wanted`, the filter of a partial index. */
export function implies(conjuncts: readonly Node[], wanted: Node): boolean {
  if (wanted.kind === 'and') return wanted.nodes.every((n) => implies(conjuncts, n));
  return wanted.kind === 'field' && conjuncts.some((node) => conjunctImplies(node, wanted));
}

function conjunctImplies(node: Node, wanted: Extract<Node, { kind: 'field' }>): boolean {
  // An $or implies what each of its branches implies.
  if (node.kind === 'or') return node.nodes.every((branch) => implies(conjunctsOf(branch), wanted));
  const { path, test } = wanted;
  if (test.op === 'exists') return requiresPresence(node, path.text);
  return node.kind === 'field' && node.path.text === path.text && testImplies(node.test, test);
}

function testImplies(given: Test, wanted: Test): boolean {
  const passes = compileTest(wanted);
  if (given.op === 'eq') return passes(given.value);
  if (given.op === 'in') return given.values.every(passes);
  if (!isComparison(given) || !isComparison(wanted)) return false;
  // NaN sorts below all numbers in an index, but comparisons of NaN with other numbers are false.
  if (isNaNValue(given.value) || isNaNValue(wanted.value)) return false;
  if (given.op[0] !== wanted.op[0] || classOf(given.value.type) !== classOf(wanted.value.type)) return false;
  const order = compare(given.value, wanted.value);
  if (order === 0) return given.op === wanted.op || wanted.op.endsWith('e');
  return given.op[0] === 'g' ? order > 0 : order < 0;
}

type Comparison = Extract<Test, { value: unknown }>;

const isComparison = (test: Test): test is Comparison => /^[lg]te?$/.test(test.op);
