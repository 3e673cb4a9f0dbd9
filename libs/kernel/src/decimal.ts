/** An exact decimal number: `unscaled` divided by ten to the power of `scale`. */
export interface Decimal {
  readonly unscaled: bigint;
  readonly scale: number;
}

export const zero: Decimal = { unscaled: 0n, scale: 0 };

const powers = [1n];
function powerOfTen(exponent: number): bigint {
  for (let n = powers.length; n <= exponent; n++) powers.push((powers[n - 1] as bigint) * 10n);
  return powers[exponent] as bigint;
}

const pattern = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/;

/**
 * Reads a decimal number.
 * @param text a JSON number, such as `-12.5` or `1e-7`; an exponent has at most three digits, because a greater one would
 * fill the memory with zeros
 */
export function readDecimal(text: string): Decimal {
  const match = pattern.exec(text);
  if (!match) throw new Error('not a decimal number');
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const unscaled = BigInt(`${sign}${whole}${fraction}`);
  const scale = fraction.length - Number(exponent);
  return scale >= 0 ? { unscaled, scale } : { unscaled: unscaled * powerOfTen(-scale), scale: 0 };
}

/** The shortest decimal that JSON parses to this number; a returned receipt contains these digits. */
export function decimalOf(value: number): Decimal {
  if (Number.isSafeInteger(value)) return { unscaled: BigInt(value), scale: 0 };
  const text = String(value);
  const point = text.indexOf('.');
  if (point === -1 || text.includes('e')) return readDecimal(text);
  const unscaled = BigInt(text.slice(0, point) + text.slice(point + 1));
  return { unscaled, scale: text.length - point - 1 };
}

const atScale = ({ unscaled, scale }: Decimal, wanted: number) => unscaled * powerOfTen(wanted - scale);

export function plus(a: Decimal, b: Decimal): Decimal {
  if (a.scale === b.scale) return { unscaled: a.unscaled + b.unscaled, scale: a.scale };
  const scale = Math.max(a.scale, b.scale);
  return { unscaled: atScale(a, scale) + atScale(b, scale), scale };
}

export const negated = ({ unscaled, scale }: Decimal): Decimal => ({ unscaled: -unscaled, scale });

export const isZero = ({ unscaled }: Decimal): boolean => unscaled === 0n;

const zeroCode = 0x30;

/** A JSON number with all digits, without an exponent and without trailing zeros. */
export function printDecimal({ unscaled, scale }: Decimal): string {
  const sign = unscaled < 0n ? '-' : '';
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  // A pattern for the zeros at the end would try each run of zeros before it.
  let end = digits.length;
  while (end > whole.length && digits.charCodeAt(end - 1) === zeroCode) end--;
  return end === whole.length ? `${sign}${whole}` : `${sign}${whole}.${digits.slice(whole.length, end)}`;
}

export const times = (a: Decimal, b: Decimal): Decimal => ({
  unscaled: a.unscaled * b.unscaled,
  scale: a.scale + b.scale,
});

/** Whether the absolute value of a number is at most a limit. */
export function isAtMost(value: Decimal, limit: Decimal): boolean {
  const scale = Math.max(value.scale, limit.scale);
  const unscaled = atScale(value, scale);
  return (unscaled < 0n ? -unscaled : unscaled) <= atScale(limit, scale);
}

export const smaller = (a: Decimal, b: Decimal): Decimal => (plus(a, negated(b)).unscaled <= 0n ? a : b);

/** The nearest double, which JSON prints with the same digits if there are at most 15. */
export const numberOf = (value: Decimal): number => Number(printDecimal(value));

/** How many times the divisor, which is positive, fits into a number: 0 for negative numbers. */
export function timesIn(value: Decimal, divisor: Decimal): number {
  const scale = Math.max(value.scale, divisor.scale);
  return Math.max(0, Number(atScale(value, scale) / atScale(divisor, scale)));
}

/** The quotient of two numbers with `digits` decimal places, rounded half to even. The divisor is positive. */
export function quotient(a: Decimal, divisor: Decimal, digits: number): Decimal {
  const scale = Math.max(a.scale, divisor.scale);
  const dividend = atScale(a, scale) * powerOfTen(digits);
  const by = atScale(divisor, scale);
  const magnitude = dividend < 0n ? -dividend : dividend;
  const whole = magnitude / by;
  const twice = (magnitude % by) * 2n;
  const rounded = twice > by || (twice === by && whole % 2n === 1n) ? whole + 1n : whole;
  return { unscaled: dividend < 0n ? -rounded : rounded, scale: digits };
}
