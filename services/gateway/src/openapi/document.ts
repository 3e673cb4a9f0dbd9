import { groupBy } from '@receipts/concurrency';
import { type Contract } from '@receipts/kernel';
import type { MountedContract } from '../http/mounted-contract';
import { isMounted, type Contracts } from '../http/routes';
import { ErrorResponses, errorSchema } from './errors';
import { SchemaBook, type JsonSchema } from './json-schema';
import { versionedOperation, type Components } from './operation';
import { tagTexts } from './tag-texts';

export interface ApiDescriptionOptions {
  readonly version: string;
  /** The public path prefix of the API; empty for the root. */
  readonly basePath?: string;
  /** See `SchemaBook`. */
  readonly closedAnswers?: boolean;
}

/** The name of the service in its descriptions. */
export const productName = 'Receipt service';

const about = `The API of the receipt service. It stores digital receipts, converts raw receipts of any format, and lists, searches, changes, assigns and sends receipts.

**Authentication.** Machines send a bearer token: a JSON Web Token (HS256) with \`kid\`. Consumers' devices send a URL signature: \`key\`, \`expires\`, \`signature\`, and \`consumer\` if the signature is restricted to consumers. [Signing](docs/signing) shows both with test values.

**Idempotency.** A POST request with an \`Idempotency-Key\` can be retried: for 24 hours, the same key with the same body returns the first response.

**Errors.** Every error has a stable \`code\`. [The list of errors](docs/errors) explains the causes of each and what to do.

**Requests.** Every response has a \`request-id\`, which is taken from the request if it contains a valid id. A \`traceparent\` is continued. Unknown query parameters and unknown members of bodies are rejected.`;

const securitySchemes: JsonSchema = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'A JSON Web Token, signed with HS256. The header must contain `kid`; the payload should contain `exp`.',
  },
  operator: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of the operator, who runs the service for several retailers.',
  },
  signatureKey: { type: 'apiKey', in: 'query', name: 'key', description: 'The access key of the client.' },
  signatureExpires: {
    type: 'apiKey',
    in: 'query',
    name: 'expires',
    description:
      'When the signature expires, as a Unix timestamp in whole seconds. At most 24 hours in the future.',
  },
  signature: {
    type: 'apiKey',
    in: 'query',
    name: 'signature',
    description:
      'HMAC-SHA256 in base64, with the decoded secret as key, over `key`, newline, `expires`; or, with a consumer, over `key`, newline, `consumer` exactly as sent, newline, `expires`.',
  },
};

const sharedParameters: JsonSchema = {
  pretty: {
    name: 'pretty',
    in: 'query',
    description: 'Whether the response is indented for readability.',
    schema: { type: 'boolean', default: false },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A unique value of your choice, which makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.',
    example: '3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  'service-api-version': {
    name: 'service-api-version',
    in: 'header',
    description: 'The version of the endpoint to use. The response repeats it.',
    schema: { type: 'string', enum: ['1', '2'], default: '1' },
  },
};

const sharedHeaders: JsonSchema = {
  'request-id': {
    description: 'The id of the request, which also appears in the logs of the service.',
    schema: { type: 'string' },
  },
  Location: {
    description:
      'The path of the new resource, relative to the base URL; for a redirect, the path to follow.',
    schema: { type: 'string' },
  },
  'idempotent-replayed': {
    description: 'Whether this is the response to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', const: 'true' },
  },
};

function pathsOf(components: Components, contracts: readonly MountedContract[]): JsonSchema {
  return Object.fromEntries(
    [...groupBy(contracts, ({ http }) => http.path)].map(([path, onPath]) => [
      path,
      Object.fromEntries(
        [...groupBy(onPath, ({ http }) => http.method)].map(([method, same]) => [
          method.toLowerCase(),
          versionedOperation(components, same),
        ]),
      ),
    ]),
  );
}

/** The OpenAPI 3.1 description, generated from the contracts alone. */
export function describeApi(contracts: readonly Contracts[], options: ApiDescriptionOptions): JsonSchema {
  const { version, basePath = '', closedAnswers = false } = options;
  const mounted = contracts.flatMap((owned): Contract[] => Object.values(owned)).filter(isMounted);
  const shared = { schemas: new SchemaBook(closedAnswers), errors: new ErrorResponses() };
  const paths = pathsOf(shared, mounted);
  const tags = [...new Set(mounted.map(({ http }) => http.path.split('/')[1] ?? ''))];
  return {
    openapi: '3.1.0',
    info: {
      title: productName,
      version,
      description: about,
      contact: { name: 'The operator of this installation' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: basePath === '' ? '/' : basePath }],
    tags: tags.map((name) => ({ name, description: tagTexts[name]?.description })),
    paths,
    components: {
      schemas: { ...shared.schemas.components, Error: errorSchema },
      responses: shared.errors.components,
      parameters: sharedParameters,
      headers: sharedHeaders,
      securitySchemes,
    },
  };
}
