import type { Decimal } from '@receipts/kernel';

/** Hundredths of a currency unit: amounts of EN 16931 have two decimal places. */
export type Cents = bigint;

const centDigits = 2;

/** The quotient of two integers, rounded half away from zero, as EN 16931 rounds. The divisor is positive. */
export function roundedQuotient(dividend: bigint, divisor: bigint): bigint {
  const magnitude = dividend < 0n ? -dividend : dividend;
  const rounded = (2n * magnitude + divisor) / (2n * divisor);
  return dividend < 0n ? -rounded : rounded;
}

const power = (exponent: number) => 10n ** BigInt(exponent);

/** An amount rounded to two decimal places. */
export const centsOf = ({ unscaled, scale }: Decimal): Cents =>
  roundedQuotient(unscaled * power(centDigits), power(scale));

/** Whether an amount has at most two decimal places. */
export const isWholeCents = ({ unscaled, scale }: Decimal): boolean =>
  (unscaled * power(centDigits)) % power(scale) === 0n;

/** The net amount of a gross amount. @param rate the tax in percent, not negative */
export function netOf(gross: Decimal, rate: Decimal): Cents {
  const hundred = 100n * power(rate.scale);
  return roundedQuotient(
    gross.unscaled * power(centDigits) * hundred,
    power(gross.scale) * (hundred + rate.unscaled),
  );
}

/** The tax on a net amount. @param rate the tax in percent, not negative */
export const taxOn = (net: Cents, rate: Decimal): Cents =>
  roundedQuotient(net * rate.unscaled, 100n * power(rate.scale));

/**
 * Divides an amount in the proportion of shares, so that the parts add up to it. Without shares that can be compared,
 * the first part is the whole amount.
 */
export function splitCents(amount: Cents, shares: readonly Cents[]): Cents[] {
  const sum = shares.reduce((a, b) => a + b, 0n);
  const isProportional = sum !== 0n && shares.every((share) => share * sum >= 0n);
  if (!isProportional) return shares.map((_, i) => (i === 0 ? amount : 0n));
  let given = 0n;
  let passed = 0n;
  return shares.map((share) => {
    passed += share;
    const sign = sum < 0n ? -1n : 1n;
    const upTo = roundedQuotient(sign * amount * passed, sign * sum);
    const part = upTo - given;
    given = upTo;
    return part;
  });
}

/** An amount with two decimal places, such as `-12.50`. */
export function printCents(amount: Cents): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(centDigits + 1, '0');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -centDigits)}.${digits.slice(-centDigits)}`;
}
