import { z } from 'zod';

/** JSON Schema 2020-12, the dialect of OpenAPI 3.1 and AsyncAPI 3. */
export type JsonSchema = Readonly<Record<string, unknown>>;

type Definitions = Readonly<Record<string, JsonSchema>>;

const definitionPrefix = '#/$defs/';
const componentPrefix = '#/components/schemas/';

/** Copies a document, calling `rewrite` for each member; a member that becomes undefined is omitted. */
function rewritten(value: unknown, rewrite: (name: string, member: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((member) => rewritten(member, rewrite));
  if (value === null || typeof value !== 'object') return value;
  const members: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const next = rewrite(name, member);
    if (next !== undefined) members[name] = rewritten(next, rewrite);
  }
  return members;
}

/**
 * Registers schemas under the names by which the description refers to them.
 * @param exports all exports of a package; those that are not schemas are ignored.
 */
export function nameSchemas(exports: Readonly<Record<string, unknown>>): void {
  for (const [name, exported] of Object.entries(exports)) {
    if (!(exported instanceof z.ZodType) || exported.meta()?.id !== undefined) continue;
    const id = (name[0] ?? '').toUpperCase() + name.slice(1);
    z.globalRegistry.add(exported, { ...exported.meta(), id });
  }
}

/** The schemas of one description. Named schemas are stored once, under `components`. */
export class SchemaBook {
  private readonly kept = new Map<string, JsonSchema>();

  /**
   * @param closedAnswers true forbids members that are not described, for tests. The published description allows them,
   * so that members can be added later.
   */
  constructor(private readonly closedAnswers: boolean) {}

  /** The schema of a request body or parameter. */
  request(schema: z.ZodType): JsonSchema {
    const keep = (name: string, member: unknown) => (name === 'parameter' ? undefined : member);
    return this.take(schema, 'input', keep, 'Request');
  }

  /** The schema of a response or an event. */
  answer(schema: z.ZodType): JsonSchema {
    const open = (name: string, member: unknown) =>
      !this.closedAnswers && name === 'additionalProperties' && member === false ? undefined : member;
    return this.take(schema, 'output', open, 'Answer');
  }

  get components(): Definitions {
    return Object.fromEntries([...this.kept].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** A self-contained schema, including all schemas that it refers to. */
  static alone(schema: z.ZodType): JsonSchema {
    return z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any', cycles: 'ref' });
  }

  private take(
    schema: z.ZodType,
    io: 'input' | 'output',
    rewrite: (name: string, member: unknown) => unknown,
    suffix: string,
  ): JsonSchema {
    const converted = z.toJSONSchema(schema, { io, unrepresentable: 'any', cycles: 'ref' });
    const {
      $schema: _dialect,
      $defs = {},
      ...root
    } = rewritten(converted, rewrite) as JsonSchema & { $defs?: Definitions };
    const names = this.namesFor($defs, suffix);
    const refer = (name: string, member: unknown) =>
      name === '$ref' && typeof member === 'string' && member.startsWith(definitionPrefix)
        ? componentPrefix + (names.get(member.slice(definitionPrefix.length)) ?? '')
        : member;
    for (const [id, definition] of Object.entries($defs)) {
      const name = names.get(id) ?? id;
      if (!this.kept.has(name)) this.kept.set(name, rewritten(definition, refer) as JsonSchema);
    }
    return rewritten(root, refer) as JsonSchema;
  }

  /**
   * The names of schemas that are used in both requests and responses: their two forms differ, for instance by
   * defaults, and get two names.
   */
  private namesFor(definitions: Definitions, suffix: string): Map<string, string> {
    const plain = (name: string, member: unknown) =>
      name === '$ref' && typeof member === 'string'
        ? definitionPrefix + (member.split('/').at(-1) ?? '')
        : member;
    const differing = new Set<string>();
    for (const [id, definition] of Object.entries(definitions)) {
      const kept = this.kept.get(id);
      if (kept && JSON.stringify(rewritten(kept, plain)) !== JSON.stringify(definition)) differing.add(id);
    }
    let size: number;
    do {
      size = differing.size;
      for (const [id, definition] of Object.entries(definitions)) {
        const text = JSON.stringify(definition);
        if ([...differing].some((other) => text.includes(`"${definitionPrefix}${other}"`))) differing.add(id);
      }
    } while (differing.size > size);
    return new Map(Object.keys(definitions).map((id) => [id, differing.has(id) ? id + suffix : id]));
  }
}
