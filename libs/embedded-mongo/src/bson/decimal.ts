import { Decimal128 } from 'bson';
import { BsonType } from './types';
import { BsonValue } from './value';

/** A finite decimal: coefficient times ten to the exponent. */
export interface Decimal {
  readonly coefficient: bigint;
  readonly exponent: number;
}

const digitsMax = 34;

/** The text of a Decimal128, such as "1.50", "NaN" or "-Infinity". */
export const decimalText = (v: BsonValue): string =>
  new Decimal128(new Uint8Array(v.bytes.subarray(v.start, v.end))).toString();

/** The decimal's value; NaN and the infinities are returned as doubles. */
export function decimalOf(v: BsonValue): Decimal | number {
  const text = decimalText(v);
  const m = /^(-?)(\d+)(?:\.(\d+))?(?:E([+-]?\d+))?$/.exec(text);
  if (!m) return Number(text);
  const fraction = m[3] ?? '';
  const coefficient = BigInt(m[2]! + fraction) * (m[1] ? -1n : 1n);
  return { coefficient, exponent: Number(m[4] ?? 0) - fraction.length };
}

export function decimalFromText(text: string): BsonValue {
  const bytes = Buffer.from(Decimal128.fromString(text).bytes);
  return new BsonValue(BsonType.decimal, bytes, 0, 16);
}

/** Rounds half to even to the 34 digits of a Decimal128. */
export function decimalVal(d: Decimal): BsonValue {
  let { coefficient, exponent } = d;
  const negative = coefficient < 0n;
  if (negative) coefficient = -coefficient;
  const excess = coefficient.toString().length - digitsMax;
  if (excess > 0) {
    const unit = 10n ** BigInt(excess);
    const rest = coefficient % unit;
    coefficient /= unit;
    const half = unit / 2n;
    if (rest > half || (rest === half && coefficient % 2n === 1n)) coefficient += 1n;
    exponent += excess;
  }
  return decimalFromText(`${negative ? '-' : ''}${coefficient}E${exponent}`);
}

/** Converts a double to the decimal with its first 15 significant digits, as MongoDB does. */
export function decimalFromDouble(x: number): Decimal | number {
  if (!Number.isFinite(x)) return x;
  const m = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(x.toPrecision(15))!;
  const fraction = m[3] ?? '';
  return trimZeros({
    coefficient: BigInt(m[2]! + fraction) * (m[1] ? -1n : 1n),
    exponent: Number(m[4] ?? 0) - fraction.length,
  });
}

function trimZeros(d: Decimal): Decimal {
  let { coefficient, exponent } = d;
  if (coefficient === 0n) return { coefficient, exponent: 0 };
  while (exponent < 0 && coefficient % 10n === 0n) {
    coefficient /= 10n;
    exponent++;
  }
  return { coefficient, exponent };
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const exponent = Math.min(a.exponent, b.exponent);
  const scale = (d: Decimal): bigint => d.coefficient * 10n ** BigInt(d.exponent - exponent);
  return { coefficient: scale(a) + scale(b), exponent };
}

export const multiplyDecimals = (a: Decimal, b: Decimal): Decimal => ({
  coefficient: a.coefficient * b.coefficient,
  exponent: a.exponent + b.exponent,
});

/** Divides by a positive integer, rounds to the 34 digits of a Decimal128 and drops trailing zeros. */
export function divideDecimal({ coefficient, exponent }: Decimal, by: number): BsonValue {
  const digits = digitsMax + 1;
  const shifted = coefficient * 10n ** BigInt(digits);
  let quotient = shifted / BigInt(by);
  let at = exponent - digits;
  while (at < exponent && quotient % 10n === 0n) {
    quotient /= 10n;
    at++;
  }
  return decimalVal({ coefficient: quotient, exponent: at });
}
