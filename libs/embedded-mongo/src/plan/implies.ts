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
  if (given.op === 'in') return given.patterns.length === 0 && given.values.every(passes);
  if ((given.op !== 'gt' && given.op !== 'gte') || wanted.op !== 'gt') return false;
  // NaN sorts below all numbers in an index, but no number is greater than NaN.
  if (isNaNValue(wanted.value) || classOf(given.value.type) !== classOf(wanted.value.type)) return false;
  const order = compare(given.value, wanted.value);
  return order > 0 || (order === 0 && given.op === 'gt');
}
