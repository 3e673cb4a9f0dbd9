import { BsonType, CanonicalType, classOf } from './types';
import { i32, type BsonValue } from './value';
import { double, int, long } from './make';

export const isNumber = (v: BsonValue | undefined): boolean =>
  v !== undefined && classOf(v.type) === CanonicalType.number;

/** The nearest double. Large int64 values may lose precision. */
export function numberOf(v: BsonValue): number {
  switch (v.type) {
    case BsonType.int:
      return i32(v.bytes, v.start);
    case BsonType.double:
      return v.bytes.readDoubleLE(v.start);
    case BsonType.long:
      return v.bytes.readInt32LE(v.start + 4) * 0x100000000 + v.bytes.readUInt32LE(v.start);
    default:
      return NaN;
  }
}

export const longOf = (v: BsonValue): bigint =>
  v.type === BsonType.long ? v.bytes.readBigInt64LE(v.start) : BigInt(Math.trunc(numberOf(v)));

export const isNaNValue = (v: BsonValue): boolean => v.type === BsonType.double && Number.isNaN(numberOf(v));

/** Orders NaN below all numbers and equal to itself. */
function compareDoubles(a: number, b: number): number {
  if (a < b) return -1;
  if (a > b) return 1;
  if (a === b) return 0;
  return Number.isNaN(a) ? (Number.isNaN(b) ? 0 : -1) : 1;
}

export function compareNumbers(a: BsonValue, b: BsonValue): number {
  const order = compareDoubles(numberOf(a), numberOf(b));
  if (order !== 0 || (a.type !== BsonType.long && b.type !== BsonType.long)) return order;
  // Large integers may have the same nearest double.
  const [x, y] = [longOf(a), longOf(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

const intMin = -(2 ** 31);
const intMax = 2 ** 31 - 1;
const longMin = -(2n ** 63n);
const longMax = 2n ** 63n - 1n;

/** Adds with MongoDB's type promotion: int, long, double. Undefined if an integer sum overflows 64 bits. */
export function addNumbers(a: BsonValue, b: BsonValue): BsonValue | undefined {
  if (a.type === BsonType.double || b.type === BsonType.double) return double(numberOf(a) + numberOf(b));
  const sum = longOf(a) + longOf(b);
  if (a.type === BsonType.int && b.type === BsonType.int && sum >= intMin && sum <= intMax)
    return int(Number(sum));
  return sum >= longMin && sum <= longMax ? long(sum) : undefined;
}
