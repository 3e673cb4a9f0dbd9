import { rawOutput } from '@receipts/kernel';
import type { z } from 'zod';
import { showsPages, type MountedContract } from '../http/mounted-contract';
import { membersOf, parameterSchema } from '../parameters/parameter-schemas';
import { isOriginMember } from '../parameters/parameters';
import { errorsOf, type ErrorResponses } from './errors';
import { SchemaBook, type JsonSchema } from './json-schema';
import { sampleOf } from './sample';
import { resolver } from './schema-view';

const jsonType = 'application/json';

type Location = 'path' | 'query' | 'header';
type Parameter = Readonly<Record<string, unknown>> & {
  readonly name: string;
  readonly in: Location;
};

function parameter(book: SchemaBook, location: Location, name: string, schema: z.ZodType): Parameter {
  const { json, inner, required, description, example, default: fallback } = parameterSchema(schema);
  const described: JsonSchema = json ?? book.request(inner);
  const isList = described['type'] === 'array';
  return {
    name,
    in: location,
    required: location === 'path' || required || inner.meta()?.['needed'] === true,
    ...(description !== undefined && { description }),
    ...(isList && location === 'query' && { style: 'form', explode: false }),
    schema: fallback === undefined ? described : { ...described, default: fallback },
    ...(example !== undefined && { example: isList ? [example] : example }),
  };
}

const shared = (name: string) => ({ $ref: `#/components/parameters/${name}` });

function parametersOf(book: SchemaBook, contract: MountedContract): (Parameter | JsonSchema)[] {
  const { http, params, query, headers, output } = contract;
  const isFree = (name: string) =>
    name === 'free' && (http.freeQueryPrefixes ?? http.freeHeaderPrefixes) !== undefined;
  // Accept and Content-Type are not listed as parameters: OpenAPI describes them by the media types.
  const isOurs = (name: string) => (name === 'accept' && http.produces !== undefined) || isOriginMember(name);
  const declared = (location: Location, schema: z.ZodObject | undefined) =>
    membersOf(schema)
      .filter(([name]) => !isFree(name) && name !== 'pretty' && !isOurs(name))
      .map(([name, member]) => parameter(book, location, name, member));
  return [
    ...declared('path', params),
    ...declared('query', query),
    ...declared('header', headers),
    ...(http.freeParameters ?? []).map((free) => ({ ...free, required: false })),
    ...(http.version === undefined ? [] : [shared('service-api-version')]),
    ...(http.method === 'POST' ? [shared('Idempotency-Key')] : []),
    ...(output === rawOutput ? [] : [shared('pretty')]),
  ];
}

function bytesOf(types: readonly string[] = ['*/*']): JsonSchema {
  return Object.fromEntries(types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]));
}

function requestBodyOf(book: SchemaBook, { body, examples }: MountedContract): JsonSchema | undefined {
  if (!body) return undefined;
  if (body.kind === 'bytes' && !body.schemas) return { required: true, content: bytesOf(body.types) };
  const variants = body.kind === 'json' ? body.variants : (body.schemas ?? {});
  const example = examples?.request;
  const [first] = Object.keys(variants);
  const content = Object.entries(variants).map(([type, schema]) => [
    type,
    { schema: book.request(schema), ...(example !== undefined && type === first && { example }) },
  ]);
  const isOptional = body.kind === 'json' && body.optional === true;
  return { required: !isOptional, content: Object.fromEntries(content) as unknown };
}

const isRedirect = (status: number) => status >= 300 && status < 400 && status !== 304;
const hasContent = (status: number) => status !== 204 && (status < 300 || status >= 400);

/**
 * True if the response contains the location of a resource, according to the contract's own function for an example.
 */
function namesResource({ response, meta }: MountedContract): boolean {
  if (!response || !meta) return false;
  const schema = SchemaBook.alone(meta);
  const sample = sampleOf(schema, resolver((schema['$defs'] ?? {}) as Readonly<Record<string, JsonSchema>>));
  return response(sample).headers?.['location'] !== undefined;
}

function successHeaders(contract: MountedContract, status: number): JsonSchema {
  const { method } = contract.http;
  return {
    'request-id': { $ref: '#/components/headers/request-id' },
    ...((isRedirect(status) || (status === contract.http.success && namesResource(contract))) && {
      Location: { $ref: '#/components/headers/Location' },
    }),
    ...(method === 'POST' && { 'idempotent-replayed': { $ref: '#/components/headers/idempotent-replayed' } }),
  };
}

const outcomes: Readonly<Record<number, string>> = {
  201: 'The resource was created.',
  202: 'The request was accepted.',
  204: 'The request succeeded. The response has no body.',
  303: 'A redirect to another page.',
  304: 'The cached page is still valid.',
};

function successOf(book: SchemaBook, contract: MountedContract): Record<string, JsonSchema> {
  const { http, output, examples } = contract;
  const content =
    output === undefined
      ? undefined
      : output === rawOutput
        ? {
            ...bytesOf(http.produces),
            ...(http.producedJson && { [jsonType]: { schema: book.answer(http.producedJson) } }),
          }
        : {
            [jsonType]: {
              schema: book.answer(output),
              ...(examples?.response !== undefined && { example: examples.response }),
            },
          };
  return Object.fromEntries(
    [http.success, ...(http.otherSuccess ?? [])].map((status) => [
      String(status),
      {
        description: outcomes[status] ?? 'The request succeeded.',
        headers: successHeaders(contract, status),
        ...(content && hasContent(status) && { content }),
      },
    ]),
  );
}

const retailerSecurity = [{ bearer: [] }, { signatureKey: [], signatureExpires: [], signature: [] }];

function securityOf({ http }: MountedContract): readonly JsonSchema[] {
  if (http.access === 'public') return [];
  return http.access === 'operator' ? [{ operator: [] }] : retailerSecurity;
}

/** What callers get who are restricted to consumers, or must name one. */
function consumersText({ permission, forConsumers, http }: MountedContract): string | undefined {
  const isNamed = http.consumerScoped === true;
  if (forConsumers)
    return isNamed ? 'Clients with the setting `consumer_required` must specify `consumer`.' : undefined;
  if (permission === undefined) return undefined;
  const clients = isNamed ? ', and clients with the setting `consumer_required`,' : '';
  return `Signatures that contain \`consumer\`${clients} are rejected with 403.`;
}

function textOf(contract: MountedContract): string {
  const { description, permission } = contract;
  return [description, permission && `Permission: \`${permission}\`.`, consumersText(contract)]
    .filter((text) => text !== undefined)
    .join('\n\n');
}

function tagOf(path: string): string {
  return path.split('/')[1] ?? '';
}

/** `receipt-store.create-receipt` becomes `createReceipt`. */
function operationIdOf(name: string): string {
  return name
    .slice(name.indexOf('.') + 1)
    .replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** The components that operations share. */
export interface Components {
  readonly schemas: SchemaBook;
  readonly errors: ErrorResponses;
}

function operationOf({ schemas: book, errors }: Components, contract: MountedContract): JsonSchema {
  const requestBody = requestBodyOf(book, contract);
  return {
    operationId: operationIdOf(contract.name),
    tags: [tagOf(contract.http.path)],
    summary: contract.summary,
    description: textOf(contract),
    security: securityOf(contract),
    parameters: parametersOf(book, contract),
    ...(requestBody && { requestBody }),
    responses: { ...successOf(book, contract), ...errors.take(errorsOf(contract), showsPages(contract)) },
    ...(contract.permission !== undefined && { 'x-permission': contract.permission }),
    'x-contract': contract.name,
  };
}

interface Operation {
  readonly description: string;
  readonly parameters: readonly (Parameter | JsonSchema)[];
  readonly responses: Readonly<Record<string, JsonSchema>>;
}

interface Content {
  readonly 'application/json'?: { readonly schema: JsonSchema; readonly example?: unknown };
}

const keyOf = (parameter: Parameter | JsonSchema) =>
  typeof parameter['$ref'] === 'string'
    ? parameter['$ref']
    : `${String(parameter['in'])} ${String(parameter['name'])}`;

/** If only some versions accept a parameter, its description says so. */
function mergedParameters(
  operations: readonly Operation[],
  versions: readonly string[],
): (Parameter | JsonSchema)[] {
  const merged = new Map<string, { readonly parameter: Parameter | JsonSchema; readonly in: string[] }>();
  for (const [i, { parameters }] of operations.entries()) {
    for (const parameter of parameters) {
      const known = merged.get(keyOf(parameter)) ?? { parameter, in: [] };
      known.in.push(versions[i] ?? '');
      merged.set(keyOf(parameter), known);
    }
  }
  return [...merged.values()].map(({ parameter, in: [only = '', ...others] }) =>
    others.length > 0 || operations.length === 1
      ? parameter
      : {
          ...parameter,
          description: `${String(parameter['description'])} Only in version ${only}.`,
          'x-api-version': only,
        },
  );
}

const ordinals = ['first', 'second'];

function mergedResponse(responses: readonly JsonSchema[], versions: readonly string[]): JsonSchema {
  const [first = {}] = responses;
  const bodies = responses.map(
    (response) => (response['content'] as Content | undefined)?.['application/json'],
  );
  if (bodies.includes(undefined)) return first;
  const examples = bodies.flatMap((body, i) =>
    body?.example === undefined ? [] : [[`version ${versions[i] ?? ''}`, { value: body.example }] as const],
  );
  const content = {
    schema: {
      description: `The header \`service-api-version\` selects the schema: ${versions
        .map((version, i) => `\`${version}\`${i === 0 ? ' (default)' : ''} the ${ordinals[i] ?? 'next'}`)
        .join(', ')}.`,
      oneOf: bodies.map((body) => body?.schema),
    },
    ...(examples.length > 0 && { examples: Object.fromEntries(examples) }),
  };
  return {
    ...first,
    description: 'The list, in the version that the header `service-api-version` selects.',
    content: { 'application/json': content },
  };
}

/** Contracts that differ only by version become one operation, because OpenAPI cannot select an operation by header. */
export function versionedOperation(
  components: Components,
  contracts: readonly MountedContract[],
): JsonSchema {
  const ordered = [...contracts].sort((a, b) => ((a.http.version ?? '') < (b.http.version ?? '') ? -1 : 1));
  const operations = ordered.map((contract) => operationOf(components, contract) as JsonSchema & Operation);
  const [first, second] = operations;
  if (!first || !second) return first ?? {};
  const versions = ordered.map(({ http }) => http.version ?? '');
  const statuses = new Set(operations.flatMap(({ responses }) => Object.keys(responses)));
  const responses = [...statuses].sort().map((status) => {
    const given = operations.flatMap(({ responses: each }): JsonSchema[] =>
      each[status] ? [each[status]] : [],
    );
    return [status, mergedResponse(given, versions)] as const;
  });
  return {
    ...first,
    description: ordered.map((each, i) => `**Version ${versions[i] ?? ''}.** ${textOf(each)}`).join('\n\n'),
    parameters: mergedParameters(operations, versions),
    responses: Object.fromEntries(responses),
  };
}
