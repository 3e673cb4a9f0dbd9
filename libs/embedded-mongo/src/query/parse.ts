import { MongoError, badValue } from '../errors';
import { isNumber, numberOf } from '../bson/number';
import { print } from '../bson/print';
import { BsonType } from '../bson/types';
import { elementsOf, fieldsOf, firstFieldName, regexOf, type BsonValue } from '../bson/value';
import { pathOf, type Path } from '../keys/path';
import { matchAll, type ElementTest, type Node, type Test } from './node';
import { parseTest } from './parse-test';
import { patternOf } from './pattern';

const filterDepthMax = 100;
const dbRefNames = new Set(['$ref', '$id', '$db']);

/** Parses a filter. Throws MongoDB's error for unknown operators. */
export function parseFilter(filter: BsonValue, depth = 0): Node {
  if (depth > filterDepthMax) throw badValue('exceeded maximum query tree depth');
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

function parseTopLevel(name: string, value: BsonValue, depth: number): Node | undefined {
  switch (name) {
    case '$and':
    case '$or':
    case '$nor': {
      if (value.type !== BsonType.array) throw badValue(`${name} must be an array`);
      const elements = elementsOf(value);
      if (elements.length === 0) throw badValue('$and/$or/$nor must be a nonempty array');
      const nodes = elements.map((e) => {
        if (e.type !== BsonType.object) throw badValue('$or/$and/$nor entries need to be full objects');
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
export function isOperators(v: BsonValue): boolean {
  if (v.type !== BsonType.object) return false;
  const name = firstFieldName(v);
  return name !== undefined && name.startsWith('$') && !dbRefNames.has(name);
}

function parseField(path: Path, value: BsonValue, depth: number): Node {
  if (isOperators(value)) return parseOperators(path, value, depth);
  return { kind: 'field', path, test: parseEquality(value) };
}

/** Implicit equality. A regular expression is matched instead. */
export function parseEquality(value: BsonValue): Test {
  if (value.type === BsonType.regex) {
    const { pattern, options } = regexOf(value);
    return { op: 'regex', pattern: patternOf(pattern, options) };
  }
  if (value.type === BsonType.undefined) throw badValue('cannot compare to undefined');
  return { op: 'eq', value };
}

function parseOperators(path: Path, operators: BsonValue, depth: number): Node {
  if (depth > filterDepthMax) throw badValue('exceeded maximum query tree depth');
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
  value: BsonValue,
  siblings: readonly (readonly [string, BsonValue])[],
  depth: number,
): Node | undefined {
  const leaf = (test: Test): Node => ({ kind: 'field', path, test });
  switch (name) {
    case '$ne':
      if (value.type === BsonType.regex) throw badValue("Can't have regex as arg to $ne.");
      return not(leaf(parseTest('$eq', value, siblings)));
    case '$nin':
      return not(leaf(parseTest('$in', value, siblings)));
    case '$not':
      if (value.type === BsonType.regex) return not(leaf(parseEquality(value)));
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

export const isTruthy = (v: BsonValue): boolean =>
  v.type === BsonType.bool
    ? v.bytes[v.start] === 1
    : isNumber(v)
      ? numberOf(v) !== 0
      : v.type !== BsonType.null && v.type !== BsonType.undefined;

function parseAll(path: Path, value: BsonValue, depth: number): Node {
  if (value.type !== BsonType.array) throw badValue('$all needs an array');
  const elements = elementsOf(value);
  if (elements.length === 0) return { kind: 'nor', nodes: [matchAll] };
  const elemMatches = elements.filter(
    (e) => e.type === BsonType.object && firstFieldName(e) === '$elemMatch',
  );
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

const treeOperators = new Set(['$and', '$or', '$nor', '$where']);

function parseElemMatch(value: BsonValue, depth: number): Test {
  if (value.type !== BsonType.object) throw badValue('$elemMatch needs an Object');
  const first = firstFieldName(value);
  if (first !== undefined && isOperators(value) && !treeOperators.has(first)) {
    return { op: 'elemMatchValue', tests: elementTests(value, depth) };
  }
  return { op: 'elemMatchObject', node: parseFilter(value, depth + 1) };
}

/** The operators of an $elemMatch on plain values. Each tests the same element. */
function elementTests(operators: BsonValue, depth: number): ElementTest[] {
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
export function parseOptionalFilter(filter: BsonValue | undefined, name: string): Node {
  if (filter === undefined || filter.type === BsonType.null) return matchAll;
  if (filter.type !== BsonType.object) {
    throw new MongoError(14, `Expected field '${name}' to be of type object, got ${print(filter)}`);
  }
  return parseFilter(filter);
}
