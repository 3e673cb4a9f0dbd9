import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { Client, TestRetailer } from './harness/client';
import type { HttpResponse, RequestOptions } from './harness/http';
import { anonymous, aRetailer, operator } from './harness/shared-platform';

type JsonSchema = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly example?: unknown;
  readonly schema: JsonSchema;
  /** The only API version that accepts this parameter. */
  readonly 'x-api-version'?: string;
}
interface Content {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
  readonly schema?: JsonSchema;
}
type Contents = Readonly<Record<string, Content>>;
interface Operation {
  readonly operationId: string;
  readonly parameters: readonly (Parameter & { readonly $ref?: string })[];
  readonly requestBody?: { readonly required: boolean; readonly content: Contents };
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly content?: Contents }>>;
  readonly security: readonly Readonly<Record<string, unknown>>[];
}
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, { readonly content?: Contents }>>;
  };
}

let api: Description;
let retailer: TestRetailer;
let clients: Readonly<Record<'retailer' | 'operator' | 'public', Client>>;

beforeAll(async () => {
  const nobody = await anonymous();
  retailer = await aRetailer();
  api = (await nobody.get('/openapi.json')).body as Description;
  clients = { retailer: retailer.api, operator: await operator(), public: nobody };
});

/** Error codes of requests with wrong syntax. No example may cause one of them. */
const wrongSyntax = new Set([
  'bad_request',
  'invalid_parameter',
  'invalid_query',
  'malformed_body',
  'malformed_patch',
  'schema_validation_failed',
  'unsupported_media_type',
  'unsupported_version',
]);

interface ExampleRequest {
  readonly method: string;
  readonly template: string;
  readonly operation: Operation;
}

const operations = (): ExampleRequest[] =>
  Object.entries(api.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, template, operation })),
  );

const parametersOf = ({ operation }: ExampleRequest): Parameter[] =>
  operation.parameters.map(({ $ref, ...own }) =>
    $ref === undefined ? own : (api.components.parameters[$ref.split('/').at(-1) ?? ''] as Parameter),
  );

/** The example of a parameter as it is sent: its own or one from its schema; undefined if there is none. */
function exampleOf({ example, schema }: Parameter): string | undefined {
  const examples = schema['examples'] as unknown[] | undefined;
  const words = schema['enum'] as unknown[] | undefined;
  const value = example ?? examples?.[0] ?? schema['default'] ?? words?.[0] ?? schema['const'];
  if (value === undefined) return schema['type'] === 'boolean' ? 'true' : undefined;
  return Array.isArray(value) ? value.join(',') : String(value);
}

function clientOf({ operation }: ExampleRequest): Client {
  if (operation.security.length === 0) return clients.public;
  return 'operator' in (operation.security[0] ?? {}) ? clients.operator : clients.retailer;
}

function send(
  sent: ExampleRequest,
  parameters: readonly Parameter[],
  body?: readonly [type: string, value: unknown],
) {
  const { method, template } = sent;
  const ofPlace = (place: Parameter['in']) =>
    Object.fromEntries(
      parameters.filter((each) => each.in === place).map((each) => [each.name, exampleOf(each) ?? '']),
    );
  const path = Object.entries(ofPlace('path')).reduce(
    (filled, [name, value]) => filled.replace(`{${name}}`, encodeURIComponent(value)),
    template,
  );
  const version = parameters.find((each) => each['x-api-version'])?.['x-api-version'];
  const options: RequestOptions = {
    method: method.toUpperCase(),
    query: ofPlace('query'),
    headers: {
      ...ofPlace('header'),
      ...(version && { 'service-api-version': version }),
      ...(body && { 'content-type': body[0] }),
    },
    ...(body && { body: typeof body[1] === 'string' ? body[1] : JSON.stringify(body[1]) }),
  };
  return clientOf(sent).call(path, options);
}

function faultOf(
  { operation, method, template }: ExampleRequest,
  what: string,
  answer: HttpResponse,
): string[] {
  const { code, description } = (answer.body ?? {}) as { code?: string; description?: string };
  const isDescribed = operation.responses[String(answer.status)] !== undefined;
  if (isDescribed && !(code !== undefined && wrongSyntax.has(code))) return [];
  return [`${method} ${template} ${what}: ${answer.status} ${code ?? ''} ${description ?? ''}`];
}

/** Requests are sent only if they have an example body or need none. */
const takesNoBody = ({ operation }: ExampleRequest) => operation.requestBody?.required !== true;

it('every example of a parameter is valid, and gets the documented response', async () => {
  const faults: string[] = [];
  let count = 0;
  for (const sent of operations().filter(takesNoBody)) {
    const parameters = parametersOf(sent);
    const required = parameters.filter((each) => each.required === true);
    const others = parameters.filter((each) => each.required !== true && exampleOf(each) !== undefined);
    for (const other of [undefined, ...others]) {
      // A range that ends in the past and begins today would be inverted.
      const range = other?.name === 'to' ? parameters.filter(({ name }) => name === 'from') : [];
      const sentParameters = [...new Set([...required, ...range, ...(other ? [other] : [])])];
      const answer = await send(sent, sentParameters);
      faults.push(...faultOf(sent, other?.name ?? 'required parameters', answer));
      count++;
    }
  }
  expect(count).toBeGreaterThan(150);
  expect(faults).toEqual([]);
});

it('every example of a body is valid, and gets the documented response', async () => {
  const faults: string[] = [];
  let count = 0;
  for (const sent of operations()) {
    const required = parametersOf(sent).filter((each) => each.required === true);
    for (const [type, { example, schema }] of Object.entries(sent.operation.requestBody?.content ?? {})) {
      const value = example ?? (schema?.['examples'] as unknown[] | undefined)?.[0];
      if (value === undefined) continue;
      faults.push(...faultOf(sent, type, await send(sent, required, [type, value])));
      count++;
    }
  }
  expect(count).toBeGreaterThan(20);
  expect(faults).toEqual([]);
});

it('every example of a response conforms to its schema', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  ajv.addSchema(api, 'api');
  const escape = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
  const faults: string[] = [];
  let count = 0;
  const check = (pointer: readonly string[], contents: Contents = {}) => {
    for (const [type, { example, examples = {}, schema }] of Object.entries(contents)) {
      const values = [
        ...(example === undefined ? [] : [example]),
        ...Object.values(examples).map((one) => one.value),
      ];
      if (!schema || values.length === 0) continue;
      const path = [...pointer, 'content', type, 'schema'].map(escape).join('/');
      const validate = ajv.compile({ $ref: `api#/${path}` });
      for (const value of values) {
        count++;
        if (!validate(value))
          faults.push(`${pointer.join(' ')}: ${ajv.errorsText(validate.errors?.slice(0, 3))}`);
      }
    }
  };
  for (const { method, template, operation } of operations()) {
    for (const [status, { content }] of Object.entries(operation.responses)) {
      check(['paths', template, method, 'responses', status], content);
    }
  }
  for (const [name, { content }] of Object.entries(api.components.responses)) {
    check(['components', 'responses', name], content);
  }
  expect(count).toBeGreaterThan(50);
  expect(faults).toEqual([]);
});
