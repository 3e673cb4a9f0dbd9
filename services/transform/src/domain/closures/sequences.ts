/**
 * JSONata's values. A list produced by a path is a _sequence_. In a result, a sequence with one element becomes that
 * element, and an empty one becomes undefined. Arrays in the data are not changed.
 */
export interface Sequence extends Array<unknown> {
  sequence?: boolean;
  keepSingleton?: boolean;
}

/** Thrown when a closure leaves the evaluation to the interpreter, in rare cases and for all errors. */
export class InterpreterFallback extends Error {
  constructor() {
    super('left to the interpreter');
    this.name = 'LeftToInterpreter';
  }
}

/** Created once, because creating an error costs more than most evaluations. */
const left = new InterpreterFallback();

export function fallBack(): never {
  throw left;
}

/** The interpreter rejects longer sequences. */
export const sequenceLengthMax = 100_000;

export function newSequence(...members: unknown[]): Sequence {
  const sequence: Sequence = members;
  sequence.sequence = true;
  return sequence;
}

export function isSequence(value: unknown): value is Sequence {
  return Array.isArray(value) && (value as Sequence).sequence === true;
}

export function pushTo(sequence: Sequence, value: unknown): void {
  if (sequence.length >= sequenceLengthMax) fallBack();
  sequence.push(value);
}

/** The interpreter treats an object of the data with this marker as a function. */
export function isFunctionLike(value: object): boolean {
  const { _jsonata_function: isNative, _jsonata_lambda: isLambda } = value as Record<string, unknown>;
  return isNative === true || isLambda === true;
}

/** The member of an object, or the members of all objects in a list. */
export function memberOf(input: unknown, key: string): unknown {
  if (Array.isArray(input)) {
    const found = newSequence();
    for (const item of input) {
      const value = memberOf(item, key);
      if (value === undefined) continue;
      if (Array.isArray(value)) for (const one of value) pushTo(found, one);
      else pushTo(found, value);
    }
    return found;
  }
  if (input === null || typeof input !== 'object' || !Object.hasOwn(input, key)) return undefined;
  return isFunctionLike(input) ? undefined : (input as Record<string, unknown>)[key];
}

/** Converts a sequence to a result. */
export function resultOf(value: unknown, keepArray: boolean): unknown {
  if (!isSequence(value)) return value;
  if (keepArray) value.keepSingleton = true;
  if (value.length === 0) return undefined;
  return value.length === 1 && !value.keepSingleton ? value[0] : value;
}

/** @throws InterpreterFallback for numbers that JSON cannot express. */
export function isNumeric(value: unknown): value is number {
  if (typeof value !== 'number' || Number.isNaN(value)) return false;
  return Number.isFinite(value) || fallBack();
}

export function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 1 ? isTrue(value[0]) : value.some(isTrue);
  if (typeof value === 'string') return value.length > 0;
  if (isNumeric(value)) return value !== 0;
  if (value === null || typeof value !== 'object') return value === true;
  return !isFunctionLike(value) && Object.keys(value).length > 0;
}

/** True for data that contains one of the interpreter's internal markers. */
const isMarked = (value: unknown, mark: string): boolean =>
  typeof value === 'object' && value !== null && Boolean((value as Record<string, unknown>)[mark]);
export const isWrapper = (value: unknown): boolean => isMarked(value, 'outerWrapper');
export const isTuple = (value: unknown): boolean => isMarked(value, 'tupleStream');
