import {
  decimalOf,
  decimalFromDouble,
  decimalVal,
  addDecimals,
  multiplyDecimals,
  decimalFromText,
  type Decimal,
} from './decimal';
import { compareRationals, rationalOfDecimal, rationalOfDouble, type Rational } from './rational';
import { T, CLASS, classOf } from './types';
import { i32, type Val } from './value';
import { double, int, long } from './make';

export const isNumber = (v: Val | undefined): boolean => v !== undefined && classOf(v.type) === CLASS.NUMBER;

/** The number as a double. Large int64 values and decimals may lose precision. */
export function numberOf(v: Val): number {
  switch (v.type) {
    case T.INT:
      return i32(v.bytes, v.start);
    case T.DOUBLE:
      return v.bytes.readDoubleLE(v.start);
    case T.LONG:
      return v.bytes.readInt32LE(v.start + 4) * 0x100000000 + v.bytes.readUInt32LE(v.start);
    case T.DECIMAL: {
      const d = decimalOf(v);
      return typeof d === 'number' ? d : Number(`${d.coefficient}e${d.exponent}`);
    }
    default:
      return NaN;
  }
}

export const longOf = (v: Val): bigint =>
  v.type === T.LONG ? v.bytes.readBigInt64LE(v.start) : BigInt(Math.trunc(numberOf(v)));

export const isNaNValue = (v: Val): boolean =>
  (v.type === T.DOUBLE || v.type === T.DECIMAL) && Number.isNaN(numberOf(v));

/** The exact value of a finite number. Infinities and NaN are returned as doubles. */
export function exactOf(v: Val): Rational | number {
  if (v.type === T.LONG) return { numerator: longOf(v), denominator: 1n };
  if (v.type === T.DECIMAL) {
    const d = decimalOf(v);
    return typeof d === 'number' ? d : rationalOfDecimal(d);
  }
  const x = numberOf(v);
  return Number.isFinite(x) ? rationalOfDouble(x) : x;
}

/** Orders NaN below all numbers and equal to itself. */
export function compareDoubles(a: number, b: number): number {
  if (a < b) return -1;
  if (a > b) return 1;
  if (a === b) return 0;
  return Number.isNaN(a) ? (Number.isNaN(b) ? 0 : -1) : 1;
}

export function compareNumbers(a: Val, b: Val): number {
  const simple = a.type !== T.DECIMAL && b.type !== T.DECIMAL;
  if (simple && a.type !== T.LONG && b.type !== T.LONG) return compareDoubles(numberOf(a), numberOf(b));
  if (a.type === T.LONG && b.type === T.LONG) {
    const x = longOf(a);
    const y = longOf(b);
    return x < y ? -1 : x > y ? 1 : 0;
  }
  const x = exactOf(a);
  const y = exactOf(b);
  if (typeof x !== 'number' && typeof y !== 'number') return compareRationals(x, y);
  return compareDoubles(numberOf(a), numberOf(b));
}

const INT_MIN = -(2 ** 31);
const INT_MAX = 2 ** 31 - 1;
const LONG_MIN = -(2n ** 63n);
const LONG_MAX = 2n ** 63n - 1n;

/**
 * Adds or multiplies with MongoDB's type promotion: int, long, double, decimal. Returns undefined if an integer result
 * overflows 64 bits.
 */
function arithmetic(
  a: Val,
  b: Val,
  doubles: (x: number, y: number) => number,
  longs: (x: bigint, y: bigint) => bigint,
  decimals: (x: Decimal, y: Decimal) => Decimal,
): Val | undefined {
  if (a.type === T.DECIMAL || b.type === T.DECIMAL) {
    const x = toDecimal(a);
    const y = toDecimal(b);
    if (typeof x !== 'number' && typeof y !== 'number') return decimalVal(decimals(x, y));
    return decimalFromText(String(doubles(numberOf(a), numberOf(b))));
  }
  if (a.type === T.DOUBLE || b.type === T.DOUBLE) return double(doubles(numberOf(a), numberOf(b)));
  const r = longs(longOf(a), longOf(b));
  if (a.type === T.INT && b.type === T.INT && r >= INT_MIN && r <= INT_MAX) return int(Number(r));
  return r >= LONG_MIN && r <= LONG_MAX ? long(r) : undefined;
}

function toDecimal(v: Val): Decimal | number {
  if (v.type === T.DECIMAL) return decimalOf(v);
  if (v.type === T.DOUBLE) return decimalFromDouble(numberOf(v));
  return { coefficient: longOf(v), exponent: 0 };
}

export const addNumbers = (a: Val, b: Val): Val | undefined =>
  arithmetic(
    a,
    b,
    (x, y) => x + y,
    (x, y) => x + y,
    addDecimals,
  );

export const multiplyNumbers = (a: Val, b: Val): Val | undefined =>
  arithmetic(
    a,
    b,
    (x, y) => x * y,
    (x, y) => x * y,
    multiplyDecimals,
  );

export const negate = (v: Val): Val | undefined => multiplyNumbers(v, int(-1));
