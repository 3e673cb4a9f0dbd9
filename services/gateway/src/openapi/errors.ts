import { errorPage } from '@receipts/contracts';
import {
  bodyTooLarge,
  consumerMismatch,
  consumerNotAllowed,
  idempotencyMismatch,
  invalidParameter,
  malformedBody,
  permissionDenied,
  schemaValidationFailed,
  tooMany,
  unauthorized,
  unavailable,
  type ErrorDefinition,
} from '@receipts/kernel';
import {
  badRequest,
  expectationFailed,
  headersTooLarge,
  internalError,
  invalidSignature,
  notAcceptable,
  queryTooLarge,
  rateLimited,
  requestTimeout,
  unsupportedMediaType,
  unsupportedVersion,
} from '../errors';
import type { MountedContract } from '../http/mounted-contract';
import { reasonOf } from '../http/responder';
import type { JsonSchema } from './json-schema';

const errorReference = '#/components/schemas/Error';

export const errorSchema: JsonSchema = {
  type: 'object',
  description:
    'The body of all errors. Some errors have further members, such as the `id` of an existing receipt.',
  required: ['description', 'status', 'request_id'],
  properties: {
    description: { type: 'string', description: 'The error in words. The text may change.' },
    status: { type: 'string', description: 'The reason phrase of the HTTP status code, in lower case.' },
    code: {
      type: 'string',
      description: 'The stable code of the error. `/docs/errors/{code}` explains its causes and what to do.',
    },
    doc_url: {
      type: 'string',
      description: 'The URL path of the page that explains the code.',
    },
    errors: {
      type: 'array',
      description: 'All errors in the body or in the parameters.',
      items: {
        type: 'object',
        required: ['path', 'code', 'message'],
        properties: {
          path: { type: 'string', description: 'A JSON Pointer to the invalid member or parameter.' },
          code: { type: 'string', description: 'The stable code of this error.' },
          message: { type: 'string', description: 'This error in words.' },
        },
      },
    },
    request_id: { type: 'string', description: 'The id of the request, also in the header `request-id`.' },
  },
};

/** The errors that every endpoint can return. */
const always: readonly ErrorDefinition[] = [
  badRequest,
  invalidParameter,
  requestTimeout,
  headersTooLarge,
  queryTooLarge,
  expectationFailed,
  rateLimited,
  internalError,
  unavailable,
];

function errorsOfBody(body: MountedContract['body']): ErrorDefinition[] {
  if (!body) return [];
  const isJson = body.kind === 'json';
  const refusal = (isJson && body.refusal) || schemaValidationFailed;
  const ofText = isJson || body.schemas ? [malformedBody, refusal, tooMany] : [];
  return [bodyTooLarge, unsupportedMediaType, ...ofText];
}

/** All errors of an endpoint: those that its contract declares, and those that its declaration implies. */
export function errorsOf({
  http,
  body,
  output,
  permission,
  errors = [],
  forConsumers,
  consumerOf,
}: MountedContract): ErrorDefinition[] {
  const { access = 'retailer' } = http;
  const implied: (ErrorDefinition | false)[] = [
    http.version !== undefined && unsupportedVersion,
    access !== 'public' && unauthorized,
    access === 'retailer' && invalidSignature,
    (permission !== undefined || access === 'operator') && permissionDenied,
    permission !== undefined && forConsumers === undefined && consumerNotAllowed,
    consumerOf !== undefined && consumerMismatch,
    ((output !== undefined && output !== 'raw') || http.produces !== undefined) && notAcceptable,
    http.method === 'POST' && idempotencyMismatch,
  ];
  return [...errors, ...always, ...implied.filter((error) => error !== false), ...errorsOfBody(body)];
}

function example({ status, code, description }: ErrorDefinition): JsonSchema {
  return {
    summary: description,
    value: {
      description,
      status: reasonOf(status),
      ...(code !== undefined && { code, doc_url: errorPage(code) }),
      request_id: '6650f2c81b3c9a0012ab34cd',
    },
  };
}

const retryAfter: JsonSchema = {
  description: 'The number of seconds after which the request can be retried.',
  schema: { type: 'integer' },
};

const headersOf: Readonly<Record<number, JsonSchema>> = {
  401: {
    'WWW-Authenticate': {
      description: '`Bearer`, with `error="invalid_token"` if the request contained a token (RFC 6750).',
      schema: { type: 'string', enum: ['Bearer', 'Bearer error="invalid_token"'] },
    },
  },
  415: {
    'Accept-Patch': {
      description: 'The media types that PATCH accepts. Only for PATCH requests.',
      schema: { type: 'string' },
    },
  },
  429: { 'Retry-After': retryAfter },
  503: { 'Retry-After': retryAfter },
};

/** The error responses. Each is listed once under `components`, because most operations share them. */
export class ErrorResponses {
  private readonly kept = new Map<string, JsonSchema>();

  get components(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries(this.kept);
  }

  /**
   * The error responses of an operation, by status.
   * @param pages whether callers that prefer HTML get errors as HTML pages
   */
  take(errors: readonly ErrorDefinition[], pages: boolean): Record<string, JsonSchema> {
    const byStatus = new Map<number, Map<string, ErrorDefinition>>();
    for (const error of errors) {
      const codes = byStatus.get(error.status) ?? new Map<string, ErrorDefinition>();
      byStatus.set(error.status, codes);
      const name = error.code ?? reasonOf(error.status).replaceAll(' ', '_');
      if (!codes.has(name)) codes.set(name, error);
    }
    const ordered = [...byStatus].sort(([a], [b]) => a - b);
    return Object.fromEntries(
      ordered.map(([status, codes]) => [String(status), this.keep(status, codes, pages)]),
    );
  }

  private keep(status: number, codes: ReadonlyMap<string, ErrorDefinition>, pages: boolean): JsonSchema {
    const response = {
      description: [...codes.values()].map(({ description }) => description).join('; '),
      headers: { 'request-id': { $ref: '#/components/headers/request-id' }, ...headersOf[status] },
      content: {
        'application/json': {
          schema: { $ref: errorReference },
          examples: Object.fromEntries([...codes].map(([name, error]) => [name, example(error)])),
        },
        ...(pages && { 'text/html': { schema: { type: 'string' } } }),
      },
    };
    const plain = `${status}-${[...codes.keys()].join('-')}`;
    const text = JSON.stringify(response);
    // Another operation may use the same code with another description.
    let name = plain;
    for (let i = 2; this.kept.has(name) && JSON.stringify(this.kept.get(name)) !== text; i++)
      name = `${plain}-${i}`;
    this.kept.set(name, response);
    return { $ref: `#/components/responses/${name}` };
  }
}
