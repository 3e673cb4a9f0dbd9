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

/** The next double away from 0. */
function nextDouble(value: number): number {
  double[0] = value;
  bits[0] = (bits[0] ?? 0n) + 1n;
  return double[0];
}

/** A double that stands for this number only; it has more digits than numbers that are computed or posted exactly. */
function standIn(value: number, taken: ReadonlySet<number>): number {
  let candidate = Math.abs(value) < tiny ? Math.sign(value || 1) * tiny : value;
  while (taken.has(candidate) || decimalOf(String(candidate)).digits.length <= shortDigitsMax)
    candidate = nextDouble(candidate);
  return candidate;
}

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
  const taken = new Set(literals.filter((literal) => !inexact.has(literal)).map(Number));
  const numbers = new Map<number, string>();
  const standIns = new Map<string, string>();
  for (const literal of inexact) {
    const value = standIn(Number(literal), taken);
    taken.add(value);
    numbers.set(value, literal);
    standIns.set(literal, String(value));
  }
  const parsed: unknown = JSON.parse(text.replace(token, (literal) => standIns.get(literal) ?? literal));
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
