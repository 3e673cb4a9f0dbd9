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
import { BsonType, CanonicalType, classOf } from './types';
import { i32, type BsonValue } from './value';
import { double, int, long } from './make';

export const isNumber = (v: BsonValue | undefined): boolean =>
  v !== undefined && classOf(v.type) === CanonicalType.number;

/** The number as a double. Large int64 values and decimals may lose precision. */
export function numberOf(v: BsonValue): number {
  switch (v.type) {
    case BsonType.int:
      return i32(v.bytes, v.start);
    case BsonType.double:
      return v.bytes.readDoubleLE(v.start);
    case BsonType.long:
      return v.bytes.readInt32LE(v.start + 4) * 0x100000000 + v.bytes.readUInt32LE(v.start);
    case BsonType.decimal: {
      const d = decimalOf(v);
      return typeof d === 'number' ? d : Number(`${d.coefficient}e${d.exponent}`);
    }
    default:
      return NaN;
  }
}

export const longOf = (v: BsonValue): bigint =>
  v.type === BsonType.long ? v.bytes.readBigInt64LE(v.start) : BigInt(Math.trunc(numberOf(v)));

export const isNaNValue = (v: BsonValue): boolean =>
  (v.type === BsonType.double || v.type === BsonType.decimal) && Number.isNaN(numberOf(v));

/** The exact value of a finite number. Infinities and NaN are returned as doubles. */
export function exactOf(v: BsonValue): Rational | number {
  if (v.type === BsonType.long) return { numerator: longOf(v), denominator: 1n };
  if (v.type === BsonType.decimal) {
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

export function compareNumbers(a: BsonValue, b: BsonValue): number {
  const simple = a.type !== BsonType.decimal && b.type !== BsonType.decimal;
  if (simple && a.type !== BsonType.long && b.type !== BsonType.long)
    return compareDoubles(numberOf(a), numberOf(b));
  if (a.type === BsonType.long && b.type === BsonType.long) {
    const x = longOf(a);
    const y = longOf(b);
    return x < y ? -1 : x > y ? 1 : 0;
  }
  const x = exactOf(a);
  const y = exactOf(b);
  if (typeof x !== 'number' && typeof y !== 'number') return compareRationals(x, y);
  return compareDoubles(numberOf(a), numberOf(b));
}

const intMin = -(2 ** 31);
const intMax = 2 ** 31 - 1;
const longMin = -(2n ** 63n);
const longMax = 2n ** 63n - 1n;

/**
 * Adds or multiplies with MongoDB's type promotion: int, long, double, decimal. Returns undefined if an integer result
 * overflows 64 bits.
 */
function arithmetic(
  a: BsonValue,
  b: BsonValue,
  doubles: (x: number, y: number) => number,
  longs: (x: bigint, y: bigint) => bigint,
  decimals: (x: Decimal, y: Decimal) => Decimal,
): BsonValue | undefined {
  if (a.type === BsonType.decimal || b.type === BsonType.decimal) {
    const x = toDecimal(a);
    const y = toDecimal(b);
    if (typeof x !== 'number' && typeof y !== 'number') return decimalVal(decimals(x, y));
    return decimalFromText(String(doubles(numberOf(a), numberOf(b))));
  }
  if (a.type === BsonType.double || b.type === BsonType.double)
    return double(doubles(numberOf(a), numberOf(b)));
  const r = longs(longOf(a), longOf(b));
  if (a.type === BsonType.int && b.type === BsonType.int && r >= intMin && r <= intMax) return int(Number(r));
  return r >= longMin && r <= longMax ? long(r) : undefined;
}

function toDecimal(v: BsonValue): Decimal | number {
  if (v.type === BsonType.decimal) return decimalOf(v);
  if (v.type === BsonType.double) return decimalFromDouble(numberOf(v));
  return { coefficient: longOf(v), exponent: 0 };
}

export const addNumbers = (a: BsonValue, b: BsonValue): BsonValue | undefined =>
  arithmetic(
    a,
    b,
    (x, y) => x + y,
    (x, y) => x + y,
    addDecimals,
  );

export const multiplyNumbers = (a: BsonValue, b: BsonValue): BsonValue | undefined =>
  arithmetic(
    a,
    b,
    (x, y) => x * y,
    (x, y) => x * y,
    multiplyDecimals,
  );

export const negate = (v: BsonValue): BsonValue | undefined => multiplyNumbers(v, int(-1));
