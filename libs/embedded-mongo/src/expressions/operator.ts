import { MongoError, failedToParse } from '../errors';
import { isNumber, numberOf } from '../bson/number';
import { T } from '../bson/types';
import { elementsOf, fieldsOf, type Val } from '../bson/value';
import type { Expression } from './evaluate';

export interface ParseContext {
  readonly name: string;
  readonly variables: ReadonlySet<string>;
  /** @param more additional variables that the argument may use */
  readonly parse: (v: Val, more?: readonly string[]) => Expression;
}

export type OperatorCompiler = (argument: Val, context: ParseContext) => Expression;

export const isNullish = (v: Val | undefined): boolean =>
  v === undefined || v.type === T.NULL || v.type === T.UNDEFINED;

/** The arguments of an operator, a single one or an array. Throws code 16020 if their number is wrong. */
export function argumentsOf(v: Val, c: ParseContext, least: number, most: number): Expression[] {
  const given = v.type === T.ARRAY ? elementsOf(v) : [v];
  if (given.length < least || given.length > most) {
    const wanted = least === most ? `exactly ${least}` : `at least ${least} and at most ${most}`;
    throw new MongoError(
      16020,
      `Expression ${c.name} takes ${wanted} arguments. ${given.length} were passed in.`,
    );
  }
  return given.map((x) => c.parse(x));
}

export const intOf = (v: Val | undefined): number | undefined => {
  const n = v !== undefined && isNumber(v) ? numberOf(v) : NaN;
  return Number.isInteger(n) ? n : undefined;
};

/** The named arguments of an operator. Throws if one is unknown or missing. */
export function namedArguments(
  v: Val,
  name: string,
  known: readonly string[],
  required: readonly string[],
): Map<string, Val> {
  if (v.type !== T.OBJECT) throw failedToParse(`${name} only supports an object as its argument`);
  const out = new Map<string, Val>();
  for (const [n, x] of fieldsOf(v)) {
    if (!known.includes(n)) throw failedToParse(`Unrecognized parameter to ${name}: ${n}`);
    out.set(n, x);
  }
  for (const n of required) if (!out.has(n)) throw failedToParse(`Missing '${n}' parameter to ${name}`);
  return out;
}
