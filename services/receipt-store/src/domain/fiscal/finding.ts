import type { CheckCode, ReturnedReceipt } from '@receipts/contracts';
import {
  decimalOf,
  isAtMost,
  negated,
  plus,
  printDecimal,
  readDecimal,
  zero,
  type Decimal,
} from '@receipts/kernel';

/** The fiscal data of a receipt. */
export type Fiscal = NonNullable<ReturnedReceipt['fiscal']>;

/** What is wrong with the fiscal data of a receipt. Values are JSON. */
export interface FiscalFinding {
  readonly code: Extract<CheckCode, `fiscal_${string}`>;
  /** The JSON Pointer of the member that is wrong or missing. */
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
}

/** The member that contains the code. */
export const codePath = '/fiscal/qr';

/** The longest value that a finding repeats, because a code may have thousands of characters. */
const shownMax = 255;

const printed = (value: string | null) =>
  JSON.stringify(value === null ? null : value.slice(0, shownMax).toWellFormed());

/** @param expected what the regime requires, or the value with which the member should agree */
export const fieldFinding = (path: string, expected: string, actual: string | null): FiscalFinding => ({
  code: 'fiscal_fields',
  path,
  expected: printed(expected),
  actual: printed(actual),
});

/** @param expected the right check sum; for a signature, there is no such value */
export const signatureFinding = (
  actual: string,
  expected = 'a valid signature',
  path = codePath,
): FiscalFinding => ({
  code: 'fiscal_signature',
  path,
  expected: printed(expected),
  actual: printed(actual),
});

const tolerance: Decimal = { unscaled: 5n, scale: 3 };

/** Empty if the amounts differ by at most 0.005. */
export function amountFindings(expected: Decimal, signed: Decimal): FiscalFinding[] {
  if (isAtMost(plus(expected, negated(signed)), tolerance)) return [];
  return [
    {
      code: 'fiscal_amounts',
      path: codePath,
      expected: printDecimal(expected),
      actual: printDecimal(signed),
    },
  ];
}

export const sumOf = (amounts: readonly (number | string)[]): Decimal =>
  amounts
    .map((amount) => (typeof amount === 'number' ? decimalOf(amount) : readDecimal(amount)))
    .reduce(plus, zero);

export const magnitude = (amount: Decimal): Decimal => (amount.unscaled < 0n ? negated(amount) : amount);

/** The members of a code that do not have the form that the regime requires. */
export function malformed(
  members: readonly (readonly [name: string, value: string | undefined, pattern: RegExp])[],
): FiscalFinding[] {
  return members
    .filter(([, value, pattern]) => value === undefined || !pattern.test(value))
    .map(([name, value]) => fieldFinding(codePath, name, value ?? null));
}

/** The finding for a receipt whose regime requires a code, but which has none. */
export const missingCode = (name: string): FiscalFinding[] => [fieldFinding(codePath, name, null)];

/**
 * The finding for a number of the transaction that differs from that in the code. Tills may omit the series before the
 * number, so one of the two may be the end of the other.
 */
export function numberFindings(posted: string | null, signed: string): FiscalFinding[] {
  const agrees = posted === null || posted.endsWith(signed) || signed.endsWith(posted);
  return agrees ? [] : [fieldFinding('/fiscal/number', signed, posted)];
}
