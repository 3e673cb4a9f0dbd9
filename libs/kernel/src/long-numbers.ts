/** Recognizes the JSON numbers that a double cannot hold. */

/**
 * Sixteen digits in a row, or an exponent of three digits: shorter numbers are held exactly. Only where a number can
 * begin, because identifiers in strings often have digits that look like an exponent (`…-3e412…`), and a text that this
 * pattern finds is searched again number by number.
 */
export const longNumber = /(?:^|[[:,])\s*-?(?:\d(?:\.?\d){15}|\d[\d.]*[eE][+-]?\d{3})/;
/**
 * Strings are matched too, so that the digits in them are skipped. Runs of characters without a backslash are matched in
 * one step, because each step takes memory, and a string may have megabytes.
 */
export const token = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;
const numberParts = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
interface Decimal {
  /** Without zeros at the ends; empty for 0. */
  readonly digits: string;
  readonly exponent: number;
}

/** A number in scientific form, to compare its digits with those of another. */
export function decimalOf(literal: string): Decimal {
  const [, whole = '', fraction = '', exponent = '0'] = numberParts.exec(literal) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const plain = digits.replace(/0+$/, '');
  return { digits: plain, exponent: Number(exponent) - fraction.length + digits.length - plain.length };
}

/** Whether the double prints as the same number. Numbers beyond a double's range are left to the checks of the schema. */
export function isExact(literal: string, value: number): boolean {
  if (!Number.isFinite(value)) return true;
  const [posted, printed] = [decimalOf(literal), decimalOf(String(value))];
  return posted.digits === printed.digits && (posted.digits === '' || posted.exponent === printed.exponent);
}

/** Parses JSON with numbers that a double cannot hold as their text. @throws SyntaxError */
export function parseLongNumbersAsText(text: string): unknown {
  if (!longNumber.test(text)) return JSON.parse(text);
  const isLong = (literal: string) => {
    const value = Number(literal);
    return !Number.isFinite(value) || !isExact(literal, value);
  };
  return JSON.parse(
    text.replace(token, (literal) => (literal[0] !== '"' && isLong(literal) ? `"${literal}"` : literal)),
  );
}
