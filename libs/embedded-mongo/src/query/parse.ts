import { badValue, typeMismatch } from '../errors';
import { isNumber, numberOf } from '../bson/number';
import { print } from '../bson/print';
import { BsonType, isSearchable, typeName } from '../bson/types';
import { cstringEnd, elementsOf, fieldsOf, firstFieldName, stringOf, type BsonValue } from '../bson/value';
import { pathOf, type Path } from '../keys/path';
import { fieldOperators, includes, logicalOperators } from '../supported';
import { matchAll, type Node, type Pattern, type Test } from './node';
import { patternOf } from './pattern';

const filterDepthMax = 100;
const dbRefNames = new Set(['$ref', '$id', '$db']);

/**
 * Parses the filter of a command. If there is no filter, all documents match; otherwise, the filter must be a document.
 */
export function parseOptionalFilter(filter: BsonValue | undefined, name: string): Node {
  if (filter === undefined || filter.type === BsonType.null) return matchAll;
  if (filter.type !== BsonType.object)
    throw typeMismatch(`Expected field '${name}' to be of type object, got ${print(filter)}`);
  return parseFilter(filter);
}

/** Parses a filter. Throws code 2 for unknown operators. */
export function parseFilter(filter: BsonValue, depth = 0): Node {
  if (depth > filterDepthMax) throw badValue('exceeded maximum query tree depth');
  return allOf(
    fieldsOf(filter).map(([name, value]) =>
      name.startsWith('$') ? parseLogical(name, value, depth) : parseField(pathOf(name), value, depth),
    ),
  );
}

const allOf = (nodes: readonly Node[]): Node => (nodes.length === 1 ? nodes[0]! : { kind: 'and', nodes });

function parseLogical(name: string, value: BsonValue, depth: number): Node {
  if (!includes(logicalOperators, name)) throw badValue(`unknown top level operator: ${name}`);
  if (value.type !== BsonType.array) throw badValue(`${name} must be an array`);
  const elements = elementsOf(value);
  if (elements.length === 0) throw badValue('$and/$or/$nor must be a nonempty array');
  const nodes = elements.map((e) => {
    if (e.type !== BsonType.object) throw badValue('$or/$and/$nor entries need to be full objects');
    return parseFilter(e, depth + 1);
  });
  return { kind: name.slice(1) as 'and' | 'or' | 'nor', nodes };
}

/** True for a document of operators such as {$gt: 1}. */
function isOperators(v: BsonValue): boolean {
  if (v.type !== BsonType.object) return false;
  const name = firstFieldName(v);
  return name !== undefined && name.startsWith('$') && !dbRefNames.has(name);
}

function parseField(path: Path, value: BsonValue, depth: number): Node {
  if (!isOperators(value)) return { kind: 'field', path, test: { op: 'eq', value: searchable(value) } };
  return allOf(fieldsOf(value).map(([name, v]) => parseOperator(path, name, v, depth + 1)));
}

function parseOperator(path: Path, name: string, value: BsonValue, depth: number): Node {
  if (!includes(fieldOperators, name)) throw badValue(`unknown operator: ${name}`);
  const is = (test: Test): Node => ({ kind: 'field', path, test });
  const not = (test: Test): Node => ({ kind: 'not', node: is(test) });
  switch (name) {
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      return is({ op: name.slice(1) as 'gt' | 'gte' | 'lt' | 'lte', value: searchable(value) });
    case '$in':
      return is(parseIn(value));
    case '$regex':
      if (value.type !== BsonType.string) throw badValue('$regex has to be a string');
      return is({ op: 'regex', pattern: patternOf(stringOf(value)) });
    case '$ne':
      return not({ op: 'eq', value: searchable(value) });
    case '$nin':
      return not(parseIn(value));
    case '$exists':
      return isTruthy(value) ? is({ op: 'exists' }) : not({ op: 'exists' });
    case '$all':
      return parseAll(path, value);
    case '$elemMatch':
      return is(parseElemMatch(value, depth));
  }
}

/** @throws code 2 for a type that can only be stored */
function searchable(value: BsonValue): BsonValue {
  if (isSearchable(value.type)) return value;
  throw badValue(`this server does not search for values of type ${typeName(value.type)}`);
}

function parseIn(value: BsonValue): Test {
  if (value.type !== BsonType.array) throw badValue('$in needs an array');
  const elements = elementsOf(value);
  const values = elements.filter(({ type }) => type !== BsonType.regex).map(searchable);
  if (values.some(isOperators)) throw badValue('cannot nest $ under $in');
  const patterns = elements.filter(({ type }) => type === BsonType.regex).map(patternIn);
  return { op: 'in', values, patterns };
}

/** The pattern of a regular expression. Options would change what it matches. */
function patternIn({ bytes, start, end }: BsonValue): Pattern {
  const sourceEnd = cstringEnd(bytes, start);
  if (sourceEnd + 2 !== end) throw badValue('this server does not support options of a regular expression');
  return patternOf(bytes.toString('utf8', start, sourceEnd));
}

export const isTruthy = (v: BsonValue): boolean =>
  v.type === BsonType.bool
    ? v.bytes[v.start] === 1
    : isNumber(v)
      ? numberOf(v) !== 0
      : v.type !== BsonType.null;

function parseAll(path: Path, value: BsonValue): Node {
  if (value.type !== BsonType.array) throw badValue('$all needs an array');
  const elements = elementsOf(value);
  if (elements.length === 0) return { kind: 'nor', nodes: [matchAll] };
  if (elements.some(isOperators)) throw badValue('no $ expressions in $all');
  return allOf(elements.map((e) => ({ kind: 'field', path, test: { op: 'eq', value: searchable(e) } })));
}

function parseElemMatch(value: BsonValue, depth: number): Test {
  if (value.type !== BsonType.object) throw badValue('$elemMatch needs an Object');
  if (!isOperators(value)) throw badValue('this server supports $elemMatch only with operators');
  const tests = fieldsOf(value).map(([name, v]) => {
    const node = parseOperator(pathOf(''), name, v, depth + 1);
    if (node.kind !== 'field') throw badValue(`$elemMatch does not support this operator here: ${name}`);
    return node.test;
  });
  return { op: 'elemMatch', tests };
}
