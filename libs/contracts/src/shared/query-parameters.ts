import { mustBeAtLeast, mustBeAtMost, mustBeOneOf, wording } from '@receipts/kernel';
import { z } from 'zod';

/**
 * A schema receives a query parameter as the list of its decoded values in request order; a repeated name has several
 * values. These builders define the allowed values of a parameter and its API description.
 */
const values = z.array(z.string());

type JsonSchema = Readonly<Record<string, unknown>>;

/** The parts of a parameter's API description. */
interface Described {
  readonly description: string;
  /** A value as sent. */
  readonly example?: string | number;
}

const described = <S extends z.ZodType>(
  schema: S,
  openapi: JsonSchema,
  { description, example }: Described,
): S =>
  schema.meta({ parameter: openapi, description, ...(example !== undefined && { examples: [example] }) });

/** Rejects a value in a transformation. */
export function refuse(ctx: z.RefinementCtx, code: string, message: string): never {
  ctx.addIssue({ code: 'custom', message, params: { code } });
  return z.NEVER;
}

/** A parameter with one value, which `read` checks and converts. */
const single = <T>(read: (value: string, ctx: z.RefinementCtx) => T) =>
  values.transform((list, ctx): T => {
    const [value] = list;
    return list.length === 1 && value !== undefined
      ? read(value, ctx)
      : refuse(ctx, 'repeated', wording.repeated);
  });

/** One string. */
export function text(options: Described & { min?: number; max?: number; pattern?: RegExp }) {
  const { min = 1, max = 4096, pattern } = options;
  const schema = single((value, ctx) => {
    if (value.length < min) return refuse(ctx, 'too_small', mustBeAtLeast(min, 'string'));
    if (value.length > max) return refuse(ctx, 'too_big', mustBeAtMost(max, 'string'));
    if (pattern?.test(value) === false) return refuse(ctx, 'invalid_format', `must match ${pattern.source}`);
    return value;
  });
  const openapi = { type: 'string', minLength: min, ...(pattern && { pattern: pattern.source }) };
  return described(schema, openapi, options);
}

/** One of a fixed set of words. */
export function choice<const T extends string>(words: readonly T[], description: string) {
  const schema = single(
    (value, ctx) => words.find((word) => word === value) ?? refuse(ctx, 'invalid_value', mustBeOneOf(words)),
  );
  return described(schema, { type: 'string', enum: words }, { description });
}

/** One integer in decimal digits. */
export function integer(options: Described & { min: number; max: number }) {
  const { min, max } = options;
  const schema = single((value, ctx) => {
    if (!/^-?\d{1,15}$/.test(value)) return refuse(ctx, 'invalid_type', wording.integer);
    const number = Number(value);
    if (number < min) return refuse(ctx, 'too_small', mustBeAtLeast(min));
    if (number > max) return refuse(ctx, 'too_big', mustBeAtMost(max));
    return number;
  });
  return described(schema, { type: 'integer', minimum: min, maximum: max }, options);
}

/** `true` or `false`. */
export function flag(description: string) {
  const schema = single((value, ctx) =>
    value === 'true' || value === 'false' ? value === 'true' : refuse(ctx, 'invalid_type', wording.boolean),
  );
  return described(schema, { type: 'boolean' }, { description });
}

/** Several values: comma-separated, repeated, or both. An empty value is rejected. */
export function commaSeparatedList(options: Described & { min?: number; max: number; integers?: boolean }) {
  const { min = 1, max, integers = false } = options;
  const schema = values.transform((list, ctx): string[] => {
    const members = list.flatMap((value) => value.split(','));
    if (members.includes('')) return refuse(ctx, 'invalid_format', wording.emptyValue);
    if (members.length < min) return refuse(ctx, 'too_small', mustBeAtLeast(min, 'array'));
    if (members.length > max) return refuse(ctx, 'too_big', mustBeAtMost(max, 'array'));
    if (integers && !members.every((member) => /^\d{1,15}$/.test(member)))
      return refuse(ctx, 'invalid_type', 'must be a list of integers');
    return members;
  });
  const openapi = {
    type: 'array',
    items: { type: integers ? 'integer' : 'string' },
    minItems: min,
    maxItems: max,
  };
  return described(schema, openapi, options);
}

/** The member `free` of a query or header schema, with names and values as sent. See `HttpRoute.freeQueryPrefixes`. */
export function freePairs() {
  return z.array(z.tuple([z.string(), z.string()])).default([]);
}
