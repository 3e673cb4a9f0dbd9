import type { JsonSchema } from './json-schema';
import { isSchema, type Resolve } from './schema-view';

const depthMax = 8;

const byFormat: Readonly<Record<string, string>> = {
  'date-time': '2024-05-17T12:03:22.000+00:00',
  date: '2024-05-17',
  uuid: 'f47ac10b-58cc-4372-a567-0e02b2c3d479',
  email: 'jane@example.com',
};

function sampleObject({ properties }: JsonSchema, resolve: Resolve, depth: number) {
  if (!isSchema(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, member]) => [
      name,
      isSchema(member) ? sampleOf(member, resolve, depth + 1) : null,
    ]),
  );
}

function samplePrimitive(type: unknown, { format, minimum }: JsonSchema): unknown {
  if (type === 'string') return byFormat[typeof format === 'string' ? format : ''] ?? 'text';
  if (type === 'integer' || type === 'number')
    return typeof minimum === 'number' && minimum > 0 ? minimum : 1;
  return type === 'boolean' ? true : null;
}

/** An example value for a schema. The schema's own examples and defaults are preferred. */
export function sampleOf(reference: JsonSchema, resolve: Resolve, depth = 0): unknown {
  const schema = resolve(reference);
  if (depth > depthMax) return null;
  const { examples, const: only, enum: words, default: fallback, type } = schema;
  const declared = [[examples].flat()[0], only, [words].flat()[0], fallback];
  const given = declared.find((value) => value !== undefined);
  if (given !== undefined) return given;
  const [first] = [schema['anyOf'], schema['oneOf'], schema['allOf']].flatMap((list) =>
    Array.isArray(list) ? list.filter(isSchema) : [],
  );
  // An object that has both members and alternatives is shown with its members.
  if (first && schema['properties'] === undefined) return sampleOf(first, resolve, depth);
  const name: unknown = Array.isArray(type) ? type[0] : type;
  if (name === 'object') return sampleObject(schema, resolve, depth);
  if (name === 'array')
    return isSchema(schema['items']) ? [sampleOf(schema['items'], resolve, depth + 1)] : [];
  return samplePrimitive(name, schema);
}
