import { z } from 'zod';

/** How a parameter is parsed and described in the API description. */
export interface ParameterSchema {
  readonly required: boolean;
  /** True for the kernel's builders, which parse the list of all values sent. */
  readonly takesList: boolean;
  /** The JSON Schema of the kernel's builders; absent for plain schemas, which are converted. */
  readonly json?: Readonly<Record<string, unknown>>;
  readonly default?: unknown;
  readonly description?: string;
  readonly example?: unknown;
  /** The schema without `optional` and `default`. */
  readonly inner: z.ZodType;
}

/** Unwraps optional, default and the like to find the parameter's own schema. */
export function parameterSchema(schema: z.ZodType): ParameterSchema {
  let inner = schema;
  let required = true;
  let fallback: unknown;
  let description = inner.description;
  const exampleOf = (of: z.ZodType) => (of.meta()?.examples as readonly unknown[] | undefined)?.[0];
  let example = exampleOf(inner);
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault || inner instanceof z.ZodNullable) {
    if (!(inner instanceof z.ZodNullable)) required = false;
    if (inner instanceof z.ZodDefault) fallback = inner.def.defaultValue;
    inner = inner.unwrap() as z.ZodType;
    description ??= inner.description;
    example ??= exampleOf(inner);
  }
  const json: unknown = inner.meta()?.['parameter'];
  const isBuilder = json !== undefined && json !== null && typeof json === 'object';
  return {
    required,
    takesList: isBuilder,
    inner,
    ...(isBuilder && { json: json as Readonly<Record<string, unknown>> }),
    ...(fallback !== undefined && { default: fallback }),
    ...(description !== undefined && { description }),
    ...(example !== undefined && { example }),
  };
}

/** The members that callers may send: those not marked as `internal`. */
export function membersOf(schema: z.ZodObject | undefined): [name: string, schema: z.ZodType][] {
  const members = Object.entries<z.ZodType>(schema?.shape ?? {});
  return members.filter(([, member]) => member.meta()?.['internal'] !== true);
}
