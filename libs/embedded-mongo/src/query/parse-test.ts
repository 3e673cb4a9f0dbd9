import { MongoError, badValue, failedToParse, typeMismatch } from '../errors';
import { isNumber, longOf, numberOf } from '../bson/number';
import { print } from '../bson/print';
import { CLASS, T, TYPE_BY_ALIAS, classOf, typeName } from '../bson/types';
import { elementsOf, regexOf, stringOf, type Val } from '../bson/value';
import type { Pattern, Test } from './node';
import { patternOf } from './pattern';

/** Parses an operator that tests a single value. */
export function parseTest(name: string, value: Val, siblings: readonly (readonly [string, Val])[]): Test {
  switch (name) {
    case '$eq':
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      return parseComparison(name, value);
    case '$in':
      return parseIn(value);
    case '$regex':
      return parseRegex(value, siblings);
    case '$type':
      return parseType(value);
    case '$size':
      return parseSize(value);
    case '$mod':
      return parseMod(value);
    default:
      throw badValue(`unknown operator: ${name}`);
  }
}

function parseComparison(name: string, value: Val): Test {
  if (value.type === T.UNDEFINED) throw badValue('cannot compare to undefined');
  if (value.type === T.REGEX && name !== '$eq') {
    throw badValue(`Can't have RegEx as arg to predicate over field '${name}'.`);
  }
  return { op: name.slice(1) as 'eq' | 'gt' | 'gte' | 'lt' | 'lte', value };
}

function parseIn(value: Val): Test {
  if (value.type !== T.ARRAY) throw badValue('$in needs an array');
  const values: Val[] = [];
  const regexes: Pattern[] = [];
  for (const e of elementsOf(value)) {
    if (e.type === T.REGEX) {
      const { pattern, options } = regexOf(e);
      regexes.push(patternOf(pattern, options));
      continue;
    }
    if (e.type === T.UNDEFINED) throw badValue('InMatchExpression equality cannot be undefined');
    if (e.type === T.OBJECT && isOperatorDocument(e)) throw badValue('cannot nest $ under $in');
    values.push(e);
  }
  return { op: 'in', values, regexes };
}

const isOperatorDocument = (v: Val): boolean => v.bytes[v.start + 4] !== 0 && v.bytes[v.start + 5] === 0x24;

function parseRegex(value: Val, siblings: readonly (readonly [string, Val])[]): Test {
  const given = siblings.find(([n]) => n === '$options')?.[1];
  if (given && given.type !== T.STRING) throw badValue('$options has to be a string');
  const options = given ? stringOf(given) : '';
  if (value.type === T.REGEX) {
    const own = regexOf(value);
    if (given && own.options !== '') throw new MongoError(51075, 'options set in both $regex and $options');
    return { op: 'regex', pattern: patternOf(own.pattern, given ? options : own.options) };
  }
  if (value.type !== T.STRING) throw badValue('$regex has to be a string');
  return { op: 'regex', pattern: patternOf(stringOf(value), options) };
}

const NUMBER_TYPES = [T.DOUBLE, T.INT, T.LONG, T.DECIMAL];

function parseType(value: Val): Test {
  const types = new Set<number>();
  for (const v of value.type === T.ARRAY ? elementsOf(value) : [value]) {
    if (v.type === T.STRING) {
      const alias = stringOf(v);
      if (alias === 'number') for (const t of NUMBER_TYPES) types.add(t);
      else {
        const t = TYPE_BY_ALIAS.get(alias);
        if (t === undefined) throw badValue(`Unknown type name alias: ${alias}`);
        types.add(t);
      }
    } else if (isNumber(v)) {
      const n = numberOf(v);
      const t = n === -1 ? T.MIN_KEY : n;
      if (!Number.isInteger(t) || typeName(t).startsWith('type ')) {
        throw badValue(`Invalid numerical type code: ${print(v)}`);
      }
      types.add(t);
    } else {
      throw typeMismatch('type must be represented as a number or a string');
    }
  }
  if (types.size === 0) throw failedToParse('$type must match at least one type');
  return { op: 'type', types };
}

function parseSize(value: Val): Test {
  if (!isNumber(value))
    throw failedToParse(`Failed to parse $size. Expected a number in: $size: ${print(value)}`);
  const size = numberOf(value);
  if (!Number.isInteger(size)) {
    throw failedToParse(`Failed to parse $size. Expected an integer: $size: ${print(value)}`);
  }
  if (size < 0) {
    throw failedToParse(`Failed to parse $size. Expected a non-negative number in: $size: ${print(value)}`);
  }
  return { op: 'size', size };
}

function parseMod(value: Val): Test {
  if (value.type !== T.ARRAY) throw badValue('malformed mod, needs to be an array');
  const parts = elementsOf(value);
  if (parts.length < 2) throw badValue('malformed mod, not enough elements');
  if (parts.length > 2) throw badValue('malformed mod, too many elements');
  const [divisor, remainder] = parts as [Val, Val];
  if (classOf(divisor.type) !== CLASS.NUMBER) throw badValue('malformed mod, divisor not a number');
  if (classOf(remainder.type) !== CLASS.NUMBER) throw badValue('malformed mod, remainder not a number');
  if (!Number.isFinite(numberOf(divisor)) || !Number.isFinite(numberOf(remainder))) {
    throw badValue('malformed mod, divisor and remainder must be finite');
  }
  const d = longOf(divisor);
  if (d === 0n) throw badValue('divisor cannot be 0');
  return { op: 'mod', divisor: d, remainder: longOf(remainder) };
}
