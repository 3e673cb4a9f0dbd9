import * as contracts from '@receipts/contracts';
import { platformContracts, platformEvents } from '../platform';
import { describeApi } from './document';
import { describeEvents } from './events';
import { nameSchemas, type JsonSchema } from './json-schema';

nameSchemas(contracts);
const documents: readonly JsonSchema[] = [
  describeApi(platformContracts, { version: '1.0.0' }),
  describeEvents(platformEvents, '1.0.0'),
];

const wordsMin = 3;
const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function resolved(document: JsonSchema, schema: JsonSchema): JsonSchema {
  const { $ref, ...beside } = schema;
  if (typeof $ref !== 'string') return schema;
  const target = $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((value, name) => (value as JsonSchema | undefined)?.[name], document);
  return { ...(target as JsonSchema), ...beside };
}

/** The JSON types that a schema allows, except null. */
function typesOf(document: JsonSchema, given: JsonSchema): string[] {
  const schema = resolved(document, given);
  const alternatives = [schema['anyOf'], schema['oneOf']].find(Array.isArray) as JsonSchema[] | undefined;
  if (alternatives && schema['type'] === undefined) {
    return [...new Set(alternatives.flatMap((each) => typesOf(document, each)))].sort();
  }
  const { type = 'any' } = schema;
  const names = ([type].flat() as string[]).filter((each) => each !== 'null');
  return names.map((each) => (each === 'integer' ? 'number' : each));
}

interface Described {
  readonly at: string;
  readonly name: string;
  readonly text: string;
  readonly types: string;
}

/** Every parameter, header and member of a document, with its description. */
function describedIn(document: JsonSchema): Described[] {
  const found: Described[] = [];
  const add = (at: string, name: string, schema: JsonSchema, description: unknown) => {
    // Metadata of packets can be sent as `external_id` or as `service-external-id`.
    const plain = name.replace(/^service-/, '').replaceAll('-', '_');
    const text = typeof description === 'string' ? description : '';
    found.push({ at: `${at}.${name}`, name: plain, text, types: typesOf(document, schema).join(' ') });
  };
  const walk = (value: unknown, at: string): void => {
    if (Array.isArray(value)) value.forEach((each) => walk(each, at));
    if (!isObject(value)) return;
    const { name, in: place, schema, properties, patternProperties, headers } = value;
    if (typeof name === 'string' && typeof place === 'string' && isObject(schema)) {
      add(at, name, schema, value['description']);
    }
    for (const members of [properties, patternProperties]) {
      if (!isObject(members)) continue;
      for (const [member, each] of Object.entries(members)) {
        if (isObject(each)) add(at, member, each, resolved(document, each)['description']);
      }
    }
    for (const [header, each] of Object.entries(isObject(headers) ? headers : {})) {
      if (isObject(each) && isObject(each['schema'])) add(at, header, each['schema'], each['description']);
    }
    for (const [key, each] of Object.entries(value)) {
      if (key === 'example' || key === 'examples') continue;
      // The names of members are not keywords.
      const isMap = /^(patternP|p)roperties$/.test(key) && isObject(each);
      if (isMap) walk(Object.values(each), `${at}/${key}`);
      else walk(each, `${at}/${key}`);
    }
  };
  walk(document, '');
  return found;
}

const described = documents.flatMap(describedIn);

describe('descriptions of parameters, headers and members', () => {
  it('are present and have at least three words', () => {
    expect(described.length).toBeGreaterThan(2_000);
    const poor = described.filter(({ text }) => text.split(' ').length < wordsMin);
    expect([...new Set(poor.map(({ at }) => at))]).toEqual([]);
  });

  it('are not shared by different members', () => {
    const uses = new Map<string, Set<string>>();
    for (const { name, text, types } of described) {
      uses.set(text, (uses.get(text) ?? new Set()).add(`${name}: ${types}`));
    }
    const shared = [...uses].filter(([, members]) => members.size > 1);
    expect(shared.map(([text, members]) => [text, ...members])).toEqual([]);
  });
});

it('every operation, response and event has a description', () => {
  const silent: string[] = [];
  const [api, events] = documents;
  const check = (at: string, { description }: JsonSchema, min = wordsMin) => {
    if (typeof description !== 'string' || description.split(' ').length < min) silent.push(at);
  };
  for (const [path, methods] of Object.entries(
    api?.['paths'] as Record<string, Record<string, JsonSchema>>,
  )) {
    for (const [method, operation] of Object.entries(methods)) {
      check(`${method} ${path}`, operation);
      for (const [status, response] of Object.entries(operation['responses'] as Record<string, JsonSchema>)) {
        check(`${method} ${path} ${status}`, resolved(api ?? {}, response), 2);
      }
    }
  }
  const { messages } = events?.['components'] as { messages: Record<string, JsonSchema> };
  for (const [type, message] of Object.entries(messages)) check(type, message);
  expect(silent).toEqual([]);
});
