import { MongoError, typeMismatch } from '../errors';
import { nullValue, date, double, long } from '../bson/make';
import { addNumbers, isNumber, multiplyNumbers, negate, numberOf } from '../bson/number';
import { BsonType, typeName } from '../bson/types';
import { dateOf, type BsonValue } from '../bson/value';
import type { Expression } from './evaluate';
import { argumentsOf, isNullish, type OperatorCompiler } from './operator';

/** A sum that overflows 64 bits becomes a double. */
const add = (a: BsonValue, b: BsonValue): BsonValue => addNumbers(a, b) ?? double(numberOf(a) + numberOf(b));

function sum(values: readonly (BsonValue | undefined)[]): BsonValue {
  let total: BsonValue | undefined;
  let base: BsonValue | undefined;
  for (const v of values) {
    if (isNullish(v)) return nullValue;
    const x = v as BsonValue;
    if (x.type === BsonType.date) {
      if (base !== undefined) throw typeMismatch('only one date allowed in an $add expression');
      base = x;
    } else if (!isNumber(x)) {
      throw typeMismatch(`$add only supports numeric or date types, not ${typeName(x.type)}`);
    } else {
      total = total === undefined ? x : add(total, x);
    }
  }
  if (base !== undefined) return date(dateOf(base) + Math.round(total === undefined ? 0 : numberOf(total)));
  return total ?? double(0);
}

function difference(a: BsonValue | undefined, b: BsonValue | undefined): BsonValue {
  if (isNullish(a) || isNullish(b)) return nullValue;
  const x = a as BsonValue;
  const y = b as BsonValue;
  if (x.type === BsonType.date && y.type === BsonType.date)
    return addNumbers(long(BigInt(dateOf(x))), long(BigInt(-dateOf(y))))!;
  if (x.type === BsonType.date && isNumber(y)) return date(dateOf(x) - Math.round(numberOf(y)));
  if (!isNumber(x) || !isNumber(y)) {
    throw typeMismatch(`can't $subtract ${typeName(y.type)} from ${typeName(x.type)}`);
  }
  const negative = negate(y);
  return negative === undefined ? double(numberOf(x) - numberOf(y)) : add(x, negative);
}

function product(values: readonly (BsonValue | undefined)[]): BsonValue {
  let total: BsonValue | undefined;
  for (const v of values) {
    if (isNullish(v)) return nullValue;
    const x = v as BsonValue;
    if (!isNumber(x)) throw typeMismatch(`$multiply only supports numeric types, not ${typeName(x.type)}`);
    if (total === undefined) total = x;
    else {
      const next = multiplyNumbers(total, x);
      if (next === undefined) throw new MongoError(2, '$multiply reported overflow');
      total = next;
    }
  }
  return total ?? double(1);
}

const overAll =
  (combine: (values: readonly (BsonValue | undefined)[]) => BsonValue): OperatorCompiler =>
  (v, c) => {
    const parts = argumentsOf(v, c, 0, Infinity);
    return (s) => combine(parts.map((p) => p(s)));
  };

export const arithmetic: Readonly<Record<string, OperatorCompiler>> = {
  $add: overAll(sum),
  $multiply: overAll(product),
  $subtract: (v, c) => {
    const [a, b] = argumentsOf(v, c, 2, 2) as [Expression, Expression];
    return (s) => difference(a(s), b(s));
  },
};
