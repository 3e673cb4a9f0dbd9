import type { z } from 'zod';

type Types = z.core.$ZodTypes;
type Checks = z.core.$ZodChecks | z.core.$ZodCustom;

/** What a schema consists of. Zod declares and documents it for libraries (https://zod.dev/packages/core). */
export type Definition = Types['_zod']['def'];

/** A rule of a schema, such as a minimum length. */
export type Check = z.core.$ZodCheck<never>;

export const definitionOf = (schema: z.core.$ZodType): Definition => (schema as Types)._zod.def;

export const definitionOfCheck = (check: Check): Checks['_zod']['def'] => (check as Checks)._zod.def;

/** Runs a check's own code; false also for a check that is asynchronous or changes the value. */
export function passes(check: Check, value: unknown): boolean {
  const payload: z.core.ParsePayload = { value, issues: [] };
  const pending = check._zod.check(payload as z.core.ParsePayload<never>);
  return pending === undefined && payload.issues.length === 0 && payload.value === value;
}

/** Whether an object must have the member of this schema. */
export const isRequired = (schema: z.core.$ZodType) => schema._zod.optin !== 'optional';
