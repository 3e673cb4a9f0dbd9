import type { Decimal } from './decimal';

/** An exact fraction. The denominator is positive. */
export interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

const scratch = new DataView(new ArrayBuffer(8));

/** The next double above x. x must be finite. */
export function nextUp(x: number): number {
  scratch.setFloat64(0, x === 0 ? 0 : x);
  const bits = scratch.getBigInt64(0);
  scratch.setBigInt64(0, bits >= 0n ? bits + 1n : bits - 1n);
  return scratch.getFloat64(0);
}

const nextDown = (x: number): number => -nextUp(-x);

/** The exact value of a finite double. */
export function rationalOfDouble(x: number): Rational {
  scratch.setFloat64(0, x);
  const bits = scratch.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const mantissa = exponent === 0 ? fraction : fraction | 0x10000000000000n;
  const shift = (exponent === 0 ? 1 : exponent) - 1075;
  const signed = x < 0 ? -mantissa : mantissa;
  return shift >= 0
    ? { numerator: signed << BigInt(shift), denominator: 1n }
    : { numerator: signed, denominator: 1n << BigInt(-shift) };
}

export const rationalOfDecimal = (d: Decimal): Rational =>
  d.exponent >= 0
    ? { numerator: d.coefficient * 10n ** BigInt(d.exponent), denominator: 1n }
    : { numerator: d.coefficient, denominator: 10n ** BigInt(-d.exponent) };

export function compareRationals(a: Rational, b: Rational): number {
  const x = a.numerator * b.denominator;
  const y = b.numerator * a.denominator;
  return x < y ? -1 : x > y ? 1 : 0;
}

const fractionBits = 80n;

/**
 * Splits an exact number into the greatest double that is not above it and the rest. The rest is an 80-bit fraction of
 * the distance to the next double, which is precise enough to distinguish any two 34-digit decimals with the same
 * double.
 */
export function splitAtDouble(r: Rational, nearest: number): { floor: number; fraction: bigint } {
  let floor = nearest;
  if (floor === Infinity) floor = Number.MAX_VALUE;
  if (floor === -Infinity) floor = -Number.MAX_VALUE;
  while (floor > -Number.MAX_VALUE && compareRationals(rationalOfDouble(floor), r) > 0)
    floor = nextDown(floor);
  const base = rationalOfDouble(floor);
  const above = nextUp(floor);
  const gap = Number.isFinite(above)
    ? difference(rationalOfDouble(above), base)
    : difference(base, rationalOfDouble(nextDown(floor)));
  const rest = difference(r, base);
  const fraction = ((rest.numerator << fractionBits) * gap.denominator) / (rest.denominator * gap.numerator);
  const most = (1n << fractionBits) - 1n;
  return { floor, fraction: fraction < 0n ? 0n : fraction > most ? most : fraction };
}

const difference = (a: Rational, b: Rational): Rational => ({
  numerator: a.numerator * b.denominator - b.numerator * a.denominator,
  denominator: a.denominator * b.denominator,
});
