import { MongoError, failedToParse } from '../errors';
import { isNumber, numberOf } from '../bson/number';
import { BsonType } from '../bson/types';
import { elementsOf, fieldsOf, type BsonValue } from '../bson/value';
import type { Expression } from './evaluate';

export interface ParseContext {
  readonly name: string;
  readonly variables: ReadonlySet<string>;
  /** @param more additional variables that the argument may use */
  readonly parse: (v: BsonValue, more?: readonly string[]) => Expression;
}

export type OperatorCompiler = (argument: BsonValue, context: ParseContext) => Expression;

export const isNullish = (v: BsonValue | undefined): boolean =>
  v === undefined || v.type === BsonType.null || v.type === BsonType.undefined;

/** The arguments of an operator, a single one or an array. Throws code 16020 if their number is wrong. */
export function argumentsOf(v: BsonValue, c: ParseContext, least: number, most: number): Expression[] {
  const given = v.type === BsonType.array ? elementsOf(v) : [v];
  if (given.length < least || given.length > most) {
    const wanted = least === most ? `exactly ${least}` : `at least ${least} and at most ${most}`;
    throw new MongoError(
      16020,
      `Expression ${c.name} takes ${wanted} arguments. ${given.length} were passed in.`,
    );
  }
  return given.map((x) => c.parse(x));
}

export const intOf = (v: BsonValue | undefined): number | undefined => {
  const n = v !== undefined && isNumber(v) ? numberOf(v) : NaN;
  return Number.isInteger(n) ? n : undefined;
};

/** The named arguments of an operator. Throws if one is unknown or missing. */
export function namedArguments(
  v: BsonValue,
  name: string,
  known: readonly string[],
  required: readonly string[],
): Map<string, BsonValue> {
  if (v.type !== BsonType.object) throw failedToParse(`${name} only supports an object as its argument`);
  const out = new Map<string, BsonValue>();
  for (const [n, x] of fieldsOf(v)) {
    if (!known.includes(n)) throw failedToParse(`Unrecognized parameter to ${name}: ${n}`);
    out.set(n, x);
  }
  for (const n of required) if (!out.has(n)) throw failedToParse(`Missing '${n}' parameter to ${name}`);
  return out;
}
