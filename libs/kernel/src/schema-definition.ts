import type { z } from 'zod';

/** What a schema consists of, by the members that Zod 4 keeps for libraries (https://zod.dev/library-authors). */
export interface Definition {
  readonly type: string;
  readonly checks?: readonly Check[];
  readonly check?: string;
  readonly format?: string;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly catchall?: z.ZodType;
  readonly element?: z.ZodType;
  readonly innerType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly entries?: Readonly<Record<string, unknown>>;
  readonly values?: readonly unknown[];
}

interface Payload {
  value: unknown;
  readonly issues: unknown[];
}

/** A rule of a schema, such as a minimum length. */
export interface Check {
  readonly _zod: {
    readonly def: {
      readonly check: string;
      readonly minimum?: number;
      readonly maximum?: number;
      readonly value?: unknown;
      readonly inclusive?: boolean;
      readonly fn?: (value: unknown) => unknown;
    };
    readonly check: (payload: Payload) => unknown;
  };
}

export const definitionOf = (schema: z.ZodType) => schema._zod.def as unknown as Definition;

export const definitionOfCheck = (check: Check) => check._zod.def;

/** Runs a check's own code; false also for a check that is asynchronous or changes the value. */
export function passes(check: Check, value: unknown): boolean {
  const payload: Payload = { value, issues: [] };
  return check._zod.check(payload) === undefined && payload.issues.length === 0 && payload.value === value;
}

/** Whether an object must have the member of this schema. */
export const isRequired = (schema: z.ZodType) => schema._zod.optin !== 'optional';
