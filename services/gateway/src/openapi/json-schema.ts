import { z } from 'zod';

/** JSON Schema 2020-12, which is what OpenAPI 3.1 and AsyncAPI 3 speak. */
export type JsonSchema = Readonly<Record<string, unknown>>;

function without(value: unknown, keep: (name: string, member: unknown) => boolean): unknown {
  if (Array.isArray(value)) return value.map((member) => without(member, keep));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => keep(name, member))
      .map(([name, member]) => [name, without(member, keep)]),
  );
}

function converted(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    cycles: 'ref',
  });
  return rest;
}

/** What a caller may send. */
export function requestSchema(schema: z.ZodType): JsonSchema {
  return without(converted(schema, 'input'), (name) => name !== 'parameter') as JsonSchema;
}

/**
 * What an answer looks like.
 * @param closed true forbids members that are not described, which a test wants; integrators are told nothing of the
 * kind, so that members can be added.
 */
export function answerSchema(schema: z.ZodType, closed: boolean): JsonSchema {
  const keep = (name: string, member: unknown) =>
    closed || name !== 'additionalProperties' || member !== false;
  return without(converted(schema, 'output'), keep) as JsonSchema;
}
