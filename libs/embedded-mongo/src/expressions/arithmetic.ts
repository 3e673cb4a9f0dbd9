import { MongoError, typeMismatch } from '../errors';
import { NULL, date, double, long } from '../bson/make';
import { addNumbers, isNumber, multiplyNumbers, negate, numberOf } from '../bson/number';
import { T, typeName } from '../bson/types';
import { dateOf, type Val } from '../bson/value';
import type { Expression } from './evaluate';
import { argumentsOf, isNullish, type OperatorCompiler } from './operator';

/** A sum that overflows 64 bits becomes a double. */
const add = (a: Val, b: Val): Val => addNumbers(a, b) ?? double(numberOf(a) + numberOf(b));

function sum(values: readonly (Val | undefined)[]): Val {
  let total: Val | undefined;
  let base: Val | undefined;
  for (const v of values) {
    if (isNullish(v)) return NULL;
    const x = v as Val;
    if (x.type === T.DATE) {
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

function difference(a: Val | undefined, b: Val | undefined): Val {
  if (isNullish(a) || isNullish(b)) return NULL;
  const x = a as Val;
  const y = b as Val;
  if (x.type === T.DATE && y.type === T.DATE)
    return addNumbers(long(BigInt(dateOf(x))), long(BigInt(-dateOf(y))))!;
  if (x.type === T.DATE && isNumber(y)) return date(dateOf(x) - Math.round(numberOf(y)));
  if (!isNumber(x) || !isNumber(y)) {
    throw typeMismatch(`can't $subtract ${typeName(y.type)} from ${typeName(x.type)}`);
  }
  const negative = negate(y);
  return negative === undefined ? double(numberOf(x) - numberOf(y)) : add(x, negative);
}

function product(values: readonly (Val | undefined)[]): Val {
  let total: Val | undefined;
  for (const v of values) {
    if (isNullish(v)) return NULL;
    const x = v as Val;
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
  (combine: (values: readonly (Val | undefined)[]) => Val): OperatorCompiler =>
  (v, c) => {
    const parts = argumentsOf(v, c, 0, Infinity);
    return (s) => combine(parts.map((p) => p(s)));
  };

export const ARITHMETIC: Readonly<Record<string, OperatorCompiler>> = {
  $add: overAll(sum),
  $multiply: overAll(product),
  $subtract: (v, c) => {
    const [a, b] = argumentsOf(v, c, 2, 2) as [Expression, Expression];
    return (s) => difference(a(s), b(s));
  },
};
