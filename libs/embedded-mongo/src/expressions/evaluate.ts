import type { Val } from '../bson/value';

/** The values that an expression may reference. */
export interface Scope {
  readonly root: Val;
  /** Variables such as `this`. Undefined is a missing value. */
  readonly variables: ReadonlyMap<string, Val | undefined>;
  /** Milliseconds since the epoch, for $$NOW. */
  readonly now: number;
}

/** Computes a value. Undefined is a missing value. */
export type Expression = (scope: Scope) => Val | undefined;

export const withVariable = (s: Scope, name: string, v: Val | undefined): Scope => ({
  ...s,
  variables: new Map(s.variables).set(name, v),
});
