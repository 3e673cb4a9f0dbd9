import type { Val } from '../bson/value';

/** What an expression may refer to. */
export interface Scope {
  readonly root: Val;
  /** Variables such as `this`; undefined stands for a missing value. */
  readonly variables: ReadonlyMap<string, Val | undefined>;
  /** Milliseconds since the epoch, for $$NOW. */
  readonly now: number;
}

/** Computes a value; undefined is a missing one. */
export type Expression = (scope: Scope) => Val | undefined;

export const withVariable = (s: Scope, name: string, v: Val | undefined): Scope => ({
  ...s,
  variables: new Map(s.variables).set(name, v),
});
