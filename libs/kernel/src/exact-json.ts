import { schemaValidationFailed, ServiceError } from './errors';
import { decimalOf, isExact, longNumber, token } from './long-numbers';

/**
 * JSON whose numbers keep all their digits, although JavaScript's numbers have 53 bits. A number that a double cannot
 * hold is parsed to a double next to it that no other number of the text has; printing turns this double back into the
 * digits. Texts without such numbers cost one scan.
 */

const shortDigitsMax = 15;
/** Takes the place of numbers that a double would round to 0. */
const tiny = 1 / 3e300;

const double = new Float64Array(1);
const bits = new BigInt64Array(double.buffer);

/** The next double after one that is not negative. */
function nextDouble(value: number): number {
  double[0] = value;
  bits[0] = (bits[0] ?? 0n) + 1n;
  return double[0];
}

const hasFewDigits = (value: number) => decimalOf(String(value)).digits.length <= shortDigitsMax;

/**
 * A double for each of the numbers, next to it, that stands for this number only. It has more digits than numbers that
 * are computed or posted exactly. Each search goes on where the last one ended, so that many numbers that round to the
 * same double do not cost the square of their count.
 * @param taken the absolute values of the other numbers of the text
 */
function standInsOf(literals: Iterable<string>, taken: ReadonlySet<number>): Map<string, number> {
  const sizeOf = (literal: string) => Math.abs(Number(literal));
  const standIns = new Map<string, number>();
  let free = tiny;
  for (const literal of [...literals].sort((a, b) => sizeOf(a) - sizeOf(b))) {
    let size = Math.max(free, sizeOf(literal));
    while (size < Infinity && (taken.has(size) || hasFewDigits(size))) size = nextDouble(size);
    standIns.set(literal, literal.startsWith('-') ? -size : size);
    free = size < Infinity ? nextDouble(size) : size;
  }
  return standIns;
}

/** A JSON number that is parsed to this double. Behind the largest doubles, nothing is left but numbers out of range. */
const printed = (value: number) => (Number.isFinite(value) ? String(value) : `${value < 0 ? '-' : ''}1e999`);

type LongNumbers = ReadonlyMap<number, string>;

const longNumbersOf = new WeakMap<object, LongNumbers>();

/** Parses JSON whose numbers `printExactly` prints with all their digits. @throws SyntaxError */
export function parseExactly(text: string): unknown {
  if (!longNumber.test(text)) return JSON.parse(text);
  const literals = [...text.matchAll(token)]
    .map(([literal]) => literal)
    .filter((literal) => literal[0] !== '"');
  const inexact = new Set(literals.filter((literal) => !isExact(literal, Number(literal))));
  if (inexact.size === 0) return JSON.parse(text);
  const exact = literals.filter((literal) => !inexact.has(literal));
  const standIns = standInsOf(inexact, new Set(exact.map((literal) => Math.abs(Number(literal)))));
  const numbers = new Map([...standIns].map(([literal, value]) => [value, literal]));
  const replaced = text.replace(token, (literal) => {
    const value = standIns.get(literal);
    return value === undefined ? literal : printed(value);
  });
  const parsed: unknown = JSON.parse(replaced);
  // Each element of a list is a source of its own.
  for (const source of Array.isArray(parsed) ? [parsed, ...(parsed as unknown[])] : [parsed])
    if (typeof source === 'object' && source !== null) longNumbersOf.set(source, numbers);
  return parsed;
}

const noNumbers: LongNumbers = new Map();
const longNumbers = (source: unknown): LongNumbers =>
  (typeof source === 'object' && source !== null ? longNumbersOf.get(source) : undefined) ?? noNumbers;

/** The digits of the numbers that a double cannot hold, to tell two parsed texts apart. */
export const longNumbersIn = (parsed: unknown): readonly string[] => [...longNumbers(parsed).values()].sort();

const mark = `exact-${Math.random().toString(36).slice(2)}:`;
const marked = new RegExp(`"${mark}([^"]*)"`, 'g');

/**
 * Prints a value, with all digits of the numbers that come from texts parsed by `parseExactly`.
 * @param sources the parsed texts that parts of the value come from
 * @throws ServiceError 422 if two of them have different numbers that are too long to be told apart
 */
export function printExactly(value: unknown, ...sources: readonly unknown[]): string {
  const numbers = new Map<number, string>();
  for (const source of sources) {
    for (const [number, literal] of longNumbers(source)) {
      if ((numbers.get(number) ?? literal) !== literal) throw indistinguishable(literal);
      numbers.set(number, literal);
    }
  }
  if (numbers.size === 0) return JSON.stringify(value);
  // The value may itself be the source of a later text.
  if (typeof value === 'object' && value !== null) longNumbersOf.set(value, numbers);
  const text = JSON.stringify(value, (_name, member: unknown) => {
    const literal = typeof member === 'number' ? numbers.get(member) : undefined;
    return literal === undefined ? member : `${mark}${literal}`;
  });
  return text.replace(marked, '$1');
}

function indistinguishable(literal: string): ServiceError {
  const message = `has too many digits: ${literal}`;
  return new ServiceError(schemaValidationFailed, {
    errors: [{ path: '', code: 'number_too_long', message }],
  });
}
