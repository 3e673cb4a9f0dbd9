import { z } from 'zod';

/**
 * A schema receives a query parameter as the list of its decoded values in the order of the request; a repeated name
 * has several. These builders define the allowed values of a parameter and its API description.
 */
const values = z.array(z.string());

type JsonSchema = Readonly<Record<string, unknown>>;

const described = <S extends z.ZodType>(schema: S, openapi: JsonSchema, description?: string): S =>
  schema.meta({ parameter: openapi, ...(description !== undefined && { description }) });

function single(list: readonly string[], ctx: z.RefinementCtx): string | undefined {
  const [value] = list;
  if (list.length === 1 && value !== undefined) return value;
  ctx.addIssue({ code: 'custom', message: 'must be given once', params: { code: 'repeated' } });
  return undefined;
}

/** One string. */
export function text(options: { min?: number; max?: number; pattern?: RegExp; description?: string } = {}) {
  const { min = 1, max = 4096, pattern, description } = options;
  const schema = values.transform((list, ctx): string => {
    const value = single(list, ctx);
    if (value === undefined) return z.NEVER;
    if (value.length >= min && value.length <= max && (!pattern || pattern.test(value))) return value;
    ctx.addIssue({
      code: 'custom',
      message: `must have ${min} to ${max} characters`,
      params: { code: 'invalid_format' },
    });
    return z.NEVER;
  });
  const openapi = { type: 'string', minLength: min, ...(pattern && { pattern: pattern.source }) };
  return described(schema, openapi, description);
}

/** One of a fixed set of words. */
export function choice<const T extends string>(words: readonly T[], description?: string) {
  const schema = values.transform((list, ctx): T => {
    const value = single(list, ctx);
    if (value === undefined) return z.NEVER;
    const word = words.find((candidate) => candidate === value);
    if (word !== undefined) return word;
    ctx.addIssue({
      code: 'custom',
      message: `must be one of ${words.join(', ')}`,
      params: { code: 'invalid_value' },
    });
    return z.NEVER;
  });
  return described(schema, { type: 'string', enum: words }, description);
}

/** One integer in decimal digits. */
export function integer(options: { min: number; max: number; description?: string }) {
  const { min, max, description } = options;
  const schema = values.transform((list, ctx): number => {
    const value = single(list, ctx);
    if (value === undefined) return z.NEVER;
    const number = /^-?\d{1,15}$/.test(value) ? Number(value) : NaN;
    if (number >= min && number <= max) return number;
    ctx.addIssue({
      code: 'custom',
      message: `must be an integer from ${min} to ${max}`,
      params: { code: 'out_of_range' },
    });
    return z.NEVER;
  });
  return described(schema, { type: 'integer', minimum: min, maximum: max }, description);
}

/** `true` or `false`. */
export function flag(description?: string) {
  const schema = values.transform((list, ctx): boolean => {
    const value = single(list, ctx);
    if (value === undefined) return z.NEVER;
    if (value === 'true' || value === 'false') return value === 'true';
    ctx.addIssue({ code: 'custom', message: 'must be true or false', params: { code: 'invalid_type' } });
    return z.NEVER;
  });
  return described(schema, { type: 'boolean' }, description);
}

/** Several values: comma-separated, repeated, or both. An empty member is refused. */
export function vector(options: { min?: number; max: number; integers?: boolean; description?: string }) {
  const { min = 1, max, integers = false, description } = options;
  const schema = values.transform((list, ctx): string[] => {
    const members = list.flatMap((value) => value.split(','));
    const fail = (message: string, code: string): never => {
      ctx.addIssue({ code: 'custom', message, params: { code } });
      return z.NEVER;
    };
    if (members.some((member) => member === '')) return fail('must have no empty member', 'invalid_format');
    if (members.length < min || members.length > max)
      return fail(`must have ${min} to ${max} values`, 'out_of_range');
    if (integers && !members.every((member) => /^\d{1,15}$/.test(member)))
      return fail('must be integers', 'invalid_type');
    return members;
  });
  const openapi = {
    type: 'array',
    items: { type: integers ? 'integer' : 'string' },
    minItems: min,
    maxItems: max,
  };
  return described(schema, openapi, description);
}

/**
 * The member `free` of a query or headers schema, with names and values as sent. See `HttpRoute.freeQueryPrefixes`.
 */
export function freePairs() {
  return z.array(z.tuple([z.string(), z.string()])).default([]);
}
