import { MongoError, badValue, failedToParse, typeMismatch } from '../errors';
import { isNumber, longOf, numberOf } from '../bson/number';
import { print } from '../bson/print';
import { CanonicalType, BsonType, typeByAlias, classOf, typeName } from '../bson/types';
import { elementsOf, regexOf, stringOf, type BsonValue } from '../bson/value';
import type { Pattern, Test } from './node';
import { patternOf } from './pattern';

/** Parses an operator that tests a single value. */
export function parseTest(
  name: string,
  value: BsonValue,
  siblings: readonly (readonly [string, BsonValue])[],
): Test {
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

function parseComparison(name: string, value: BsonValue): Test {
  if (value.type === BsonType.undefined) throw badValue('cannot compare to undefined');
  if (value.type === BsonType.regex && name !== '$eq') {
    throw badValue(`Can't have RegEx as arg to predicate over field '${name}'.`);
  }
  return { op: name.slice(1) as 'eq' | 'gt' | 'gte' | 'lt' | 'lte', value };
}

function parseIn(value: BsonValue): Test {
  if (value.type !== BsonType.array) throw badValue('$in needs an array');
  const values: BsonValue[] = [];
  const regexes: Pattern[] = [];
  for (const e of elementsOf(value)) {
    if (e.type === BsonType.regex) {
      const { pattern, options } = regexOf(e);
      regexes.push(patternOf(pattern, options));
      continue;
    }
    if (e.type === BsonType.undefined) throw badValue('InMatchExpression equality cannot be undefined');
    if (e.type === BsonType.object && isOperatorDocument(e)) throw badValue('cannot nest $ under $in');
    values.push(e);
  }
  return { op: 'in', values, regexes };
}

const isOperatorDocument = (v: BsonValue): boolean =>
  v.bytes[v.start + 4] !== 0 && v.bytes[v.start + 5] === 0x24;

function parseRegex(value: BsonValue, siblings: readonly (readonly [string, BsonValue])[]): Test {
  const given = siblings.find(([n]) => n === '$options')?.[1];
  if (given && given.type !== BsonType.string) throw badValue('$options has to be a string');
  const options = given ? stringOf(given) : '';
  if (value.type === BsonType.regex) {
    const own = regexOf(value);
    if (given && own.options !== '') throw new MongoError(51075, 'options set in both $regex and $options');
    return { op: 'regex', pattern: patternOf(own.pattern, given ? options : own.options) };
  }
  if (value.type !== BsonType.string) throw badValue('$regex has to be a string');
  return { op: 'regex', pattern: patternOf(stringOf(value), options) };
}

const numberTypes = [BsonType.double, BsonType.int, BsonType.long, BsonType.decimal];

function parseType(value: BsonValue): Test {
  const types = new Set<number>();
  for (const v of value.type === BsonType.array ? elementsOf(value) : [value]) {
    if (v.type === BsonType.string) {
      const alias = stringOf(v);
      if (alias === 'number') for (const t of numberTypes) types.add(t);
      else {
        const t = typeByAlias.get(alias);
        if (t === undefined) throw badValue(`Unknown type name alias: ${alias}`);
        types.add(t);
      }
    } else if (isNumber(v)) {
      const n = numberOf(v);
      const t = n === -1 ? BsonType.minKey : n;
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

function parseSize(value: BsonValue): Test {
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

function parseMod(value: BsonValue): Test {
  if (value.type !== BsonType.array) throw badValue('malformed mod, needs to be an array');
  const parts = elementsOf(value);
  if (parts.length < 2) throw badValue('malformed mod, not enough elements');
  if (parts.length > 2) throw badValue('malformed mod, too many elements');
  const [divisor, remainder] = parts as [BsonValue, BsonValue];
  if (classOf(divisor.type) !== CanonicalType.number) throw badValue('malformed mod, divisor not a number');
  if (classOf(remainder.type) !== CanonicalType.number)
    throw badValue('malformed mod, remainder not a number');
  if (!Number.isFinite(numberOf(divisor)) || !Number.isFinite(numberOf(remainder))) {
    throw badValue('malformed mod, divisor and remainder must be finite');
  }
  const d = longOf(divisor);
  if (d === 0n) throw badValue('divisor cannot be 0');
  return { op: 'mod', divisor: d, remainder: longOf(remainder) };
}
