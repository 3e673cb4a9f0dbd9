import type { BsonValue } from '../bson/value';

/** The values that an expression may reference. */
export interface Scope {
  readonly root: BsonValue;
  /** Variables such as `this`. Undefined is a missing value. */
  readonly variables: ReadonlyMap<string, BsonValue | undefined>;
  /** Milliseconds since the epoch, for $$NOW. */
  readonly now: number;
}

/** Computes a value. Undefined is a missing value. */
export type Expression = (scope: Scope) => BsonValue | undefined;

export const withVariable = (s: Scope, name: string, v: BsonValue | undefined): Scope => ({
  ...s,
  variables: new Map(s.variables).set(name, v),
});
