import { MongoError, badValue } from '../errors';
import { isNumber, numberOf } from '../bson/number';
import { print } from '../bson/print';
import { T } from '../bson/types';
import { elementsOf, fieldsOf, firstFieldName, regexOf, type Val } from '../bson/value';
import { pathOf, type Path } from '../keys/path';
import { ALWAYS, type ElementTest, type Node, type Test } from './node';
import { parseTest } from './parse-test';
import { patternOf } from './pattern';

const FILTER_DEPTH_MAX = 100;
const DB_REF_NAMES = new Set(['$ref', '$id', '$db']);

/** Parses a filter. Throws MongoDB's error for unknown operators. */
export function parseFilter(filter: Val, depth = 0): Node {
  if (depth > FILTER_DEPTH_MAX) throw badValue('exceeded maximum query tree depth');
  const nodes: Node[] = [];
  for (const [name, value] of fieldsOf(filter)) {
    if (!name.startsWith('$')) nodes.push(parseField(pathOf(name), value, depth));
    else {
      const node = parseTopLevel(name, value, depth);
      if (node) nodes.push(node);
    }
  }
  return nodes.length === 1 ? nodes[0]! : { kind: 'and', nodes };
}

function parseTopLevel(name: string, value: Val, depth: number): Node | undefined {
  switch (name) {
    case '$and':
    case '$or':
    case '$nor': {
      if (value.type !== T.ARRAY) throw badValue(`${name} must be an array`);
      const elements = elementsOf(value);
      if (elements.length === 0) throw badValue('$and/$or/$nor must be a nonempty array');
      const nodes = elements.map((e) => {
        if (e.type !== T.OBJECT) throw badValue('$or/$and/$nor entries need to be full objects');
        return parseFilter(e, depth + 1);
      });
      return { kind: name.slice(1) as 'and' | 'or' | 'nor', nodes };
    }
    case '$comment':
      return undefined;
    case '$expr':
    case '$where':
    case '$text':
    case '$jsonSchema':
      throw badValue(`${name} is not supported by this server`);
    default:
      throw badValue(
        `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
      );
  }
}

/** True for a document of operators such as {$gt: 1}. */
export function isOperators(v: Val): boolean {
  if (v.type !== T.OBJECT) return false;
  const name = firstFieldName(v);
  return name !== undefined && name.startsWith('$') && !DB_REF_NAMES.has(name);
}

function parseField(path: Path, value: Val, depth: number): Node {
  if (isOperators(value)) return parseOperators(path, value, depth);
  return { kind: 'field', path, test: parseEquality(value) };
}

/** Implicit equality. A regular expression is matched instead. */
export function parseEquality(value: Val): Test {
  if (value.type === T.REGEX) {
    const { pattern, options } = regexOf(value);
    return { op: 'regex', pattern: patternOf(pattern, options) };
  }
  if (value.type === T.UNDEFINED) throw badValue('cannot compare to undefined');
  return { op: 'eq', value };
}

function parseOperators(path: Path, operators: Val, depth: number): Node {
  if (depth > FILTER_DEPTH_MAX) throw badValue('exceeded maximum query tree depth');
  const fields = fieldsOf(operators);
  const nodes: Node[] = [];
  for (const [name, value] of fields) {
    const node = parseOperator(path, name, value, fields, depth + 1);
    if (node) nodes.push(node);
  }
  return nodes.length === 1 ? nodes[0]! : { kind: 'and', nodes };
}

const not = (node: Node): Node => ({ kind: 'not', node });

function parseOperator(
  path: Path,
  name: string,
  value: Val,
  siblings: readonly (readonly [string, Val])[],
  depth: number,
): Node | undefined {
  const leaf = (test: Test): Node => ({ kind: 'field', path, test });
  switch (name) {
    case '$ne':
      if (value.type === T.REGEX) throw badValue("Can't have regex as arg to $ne.");
      return not(leaf(parseTest('$eq', value, siblings)));
    case '$nin':
      return not(leaf(parseTest('$in', value, siblings)));
    case '$not':
      if (value.type === T.REGEX) return not(leaf(parseEquality(value)));
      if (!isOperators(value)) throw badValue('$not needs a regex or a document');
      return not(parseOperators(path, value, depth));
    case '$exists':
      return isTruthy(value) ? leaf({ op: 'exists' }) : not(leaf({ op: 'exists' }));
    case '$all':
      return parseAll(path, value, depth);
    case '$elemMatch':
      return leaf(parseElemMatch(value, depth));
    case '$options':
      if (!siblings.some(([n]) => n === '$regex')) throw badValue('$options needs a $regex');
      return undefined;
    case '$comment':
      return undefined;
    default:
      return leaf(parseTest(name, value, siblings));
  }
}

export const isTruthy = (v: Val): boolean =>
  v.type === T.BOOL
    ? v.bytes[v.start] === 1
    : isNumber(v)
      ? numberOf(v) !== 0
      : v.type !== T.NULL && v.type !== T.UNDEFINED;

function parseAll(path: Path, value: Val, depth: number): Node {
  if (value.type !== T.ARRAY) throw badValue('$all needs an array');
  const elements = elementsOf(value);
  if (elements.length === 0) return { kind: 'nor', nodes: [ALWAYS] };
  const elemMatches = elements.filter((e) => e.type === T.OBJECT && firstFieldName(e) === '$elemMatch');
  if (elemMatches.length > 0 && elemMatches.length !== elements.length) {
    throw badValue('$all/$elemMatch has to be consistent');
  }
  const nodes = elements.map((e): Node => {
    if (elemMatches.length > 0)
      return { kind: 'field', path, test: parseElemMatch(fieldsOf(e)[0]![1], depth) };
    if (isOperators(e)) throw badValue('no $ expressions in $all');
    return { kind: 'field', path, test: parseEquality(e) };
  });
  return nodes.length === 1 ? nodes[0]! : { kind: 'and', nodes };
}

const TREE_OPERATORS = new Set(['$and', '$or', '$nor', '$where']);

function parseElemMatch(value: Val, depth: number): Test {
  if (value.type !== T.OBJECT) throw badValue('$elemMatch needs an Object');
  const first = firstFieldName(value);
  if (first !== undefined && isOperators(value) && !TREE_OPERATORS.has(first)) {
    return { op: 'elemMatchValue', tests: elementTests(value, depth) };
  }
  return { op: 'elemMatchObject', node: parseFilter(value, depth + 1) };
}

/** The operators of an $elemMatch on plain values. Each tests the same element. */
function elementTests(operators: Val, depth: number): ElementTest[] {
  const fields = fieldsOf(operators);
  const out: ElementTest[] = [];
  const no = pathOf('');
  for (const [name, value] of fields) {
    const node = parseOperator(no, name, value, fields, depth + 1);
    if (node) collectElementTests(node, false, out);
  }
  return out;
}

function collectElementTests(node: Node, negated: boolean, out: ElementTest[]): void {
  if (node.kind === 'field') out.push({ negated, tests: [node.test] });
  else if (node.kind === 'not' && !negated) {
    const inner: ElementTest[] = [];
    collectElementTests(node.node, false, inner);
    if (inner.some((t) => t.negated)) throw badValue('nested negations in $elemMatch are not supported');
    out.push({ negated: true, tests: inner.flatMap((t) => t.tests) });
  } else if (node.kind === 'and' && !negated) for (const n of node.nodes) collectElementTests(n, false, out);
  else throw new MongoError(2, `$elemMatch does not take this operator: ${node.kind}`);
}

/** Parses the filter of a command. Without a filter all documents match; it must be a document otherwise. */
export function parseOptionalFilter(filter: Val | undefined, name: string): Node {
  if (filter === undefined || filter.type === T.NULL) return ALWAYS;
  if (filter.type !== T.OBJECT) {
    throw new MongoError(14, `Expected field '${name}' to be of type object, got ${print(filter)}`);
  }
  return parseFilter(filter);
}
