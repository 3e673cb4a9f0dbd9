import { html, type Html } from '@receipts/html';
import { inline } from './description-html';
import type { JsonSchema } from './json-schema';

const depthMax = 8;

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Resolves a `$ref`. */
export type Resolve = (schema: JsonSchema) => JsonSchema;

/** @param components the named schemas of the description. */
export function resolver(components: Readonly<Record<string, JsonSchema>>): Resolve {
  return (schema) => {
    const { $ref } = schema;
    if (typeof $ref !== 'string') return schema;
    const { $ref: _reference, ...beside } = schema;
    return { ...components[$ref.split('/').at(-1) ?? ''], ...beside };
  };
}

function alternativesOf(schema: JsonSchema): readonly JsonSchema[] {
  const list = schema['oneOf'] ?? schema['anyOf'];
  return Array.isArray(list) ? list.filter(isSchema) : [];
}

/** Longer lists, such as the currencies, are in the API description. */
const wordsShownMax = 12;
const wordsOfLongList = 3;

function listWords(words: readonly unknown[]): string {
  const shown = words.length > wordsShownMax ? words.slice(0, wordsOfLongList) : words;
  const text = shown.map((word) => JSON.stringify(word)).join(', ');
  return shown.length === words.length ? text : `${text} and ${words.length - shown.length} others`;
}

/** A type in words: `string or null`, `array of object`. */
export function typeWords(resolve: Resolve, given: JsonSchema): string {
  const schema = resolve(given);
  const alternatives = alternativesOf(schema);
  if (alternatives.length > 0)
    return [...new Set(alternatives.map((each) => typeWords(resolve, each)))].join(' or ');
  const { type, enum: words, const: only, items, format } = schema;
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(words)) return listWords(words);
  if (type === 'array') return isSchema(items) ? `array of ${typeWords(resolve, items)}` : 'array';
  if (Array.isArray(type)) return type.join(' or ');
  if (typeof type !== 'string') return 'any';
  return typeof format === 'string' ? `${type} (${format})` : type;
}

const ranges: readonly (readonly [low: string, high: string, unit: string])[] = [
  ['minimum', 'maximum', ''],
  ['minLength', 'maxLength', ' characters'],
  ['minItems', 'maxItems', ' values'],
];

/** A bound that is only the range of exact integers is not informative. */
const isBound = (value: unknown) => typeof value === 'number' && Math.abs(value) !== Number.MAX_SAFE_INTEGER;

function rangeWords(schema: JsonSchema, [low, high, unit]: (typeof ranges)[number]): string | undefined {
  const [from, to] = [schema[low], schema[high]].map((value) => (isBound(value) ? String(value) : undefined));
  if (from !== undefined && to !== undefined) return `${from === to ? to : `${from} to ${to}`}${unit}`;
  if (to !== undefined) return `at most ${to}${unit}`;
  return from === undefined || (from === '0' && unit !== '') ? undefined : `at least ${from}${unit}`;
}

/** The constraints of a value in words, such as `1 to 255 characters`. */
export function boundWords(schema: JsonSchema): string {
  const { default: fallback } = schema;
  const words = ranges.map((range) => rangeWords(schema, range));
  const limits = words.filter((one) => one !== undefined);
  return [...limits, ...(fallback === undefined ? [] : [`default ${JSON.stringify(fallback)}`])].join(', ');
}

function inside(resolve: Resolve, given: JsonSchema): JsonSchema[] {
  const schema = resolve(given);
  const alternatives = alternativesOf(schema);
  if (alternatives.length > 0) return alternatives.flatMap((each) => inside(resolve, each));
  if (schema['type'] === 'array' && isSchema(schema['items'])) return inside(resolve, schema['items']);
  return isSchema(schema['properties']) || isSchema(schema['additionalProperties']) ? [schema] : [];
}

function field(resolve: Resolve, name: string, given: JsonSchema, required: boolean, depth: number): Html {
  const schema = resolve(given);
  const { description } = schema;
  const limits = boundWords(schema);
  const head = html`<code>${name}</code> <span class="soft">${typeWords(resolve, schema)}</span>${
      required && html`<span class="need">required</span>`
    }${limits !== '' && html` <span class="soft">${limits}</span>`}
    ${typeof description === 'string' && inline(description)}`;
  const below = fields(resolve, schema, depth + 1);
  return below.length === 0
    ? html`<li>${head}</li>`
    : html`<li>
        <details>
          <summary>${head}</summary>
          ${below}
        </details>
      </li>`;
}

/** The members of an object, with nested members indented below. */
export function fields(resolve: Resolve, schema: JsonSchema, depth = 0): readonly Html[] {
  if (depth > depthMax) return [];
  return inside(resolve, schema).flatMap((object) => {
    const required = Array.isArray(object['required']) ? object['required'] : [];
    const { properties, additionalProperties } = object;
    const named = isSchema(properties)
      ? Object.entries(properties).filter((entry): entry is [string, JsonSchema] => isSchema(entry[1]))
      : [];
    const free: [string, JsonSchema][] =
      isSchema(additionalProperties) && Object.keys(additionalProperties).length > 0
        ? [['<any name>', additionalProperties]]
        : [];
    const members = [...named, ...free].map(([name, member]) =>
      field(resolve, name, member, required.includes(name), depth),
    );
    return members.length === 0
      ? []
      : [
          html`<ul class="fields">
            ${members}
          </ul>`,
        ];
  });
}
