import type { Contract } from '@receipts/kernel';
import type { MountedContract } from '../http/mounted-contract';
import { isMounted, type Contracts } from '../http/mount';
import { ErrorResponses, errorSchema } from './errors';
import { SchemaBook, type JsonSchema } from './json-schema';
import { versionedOperation, type Components } from './operation';

export interface ApiDescriptionOptions {
  readonly version: string;
  /** The public path prefix of the API; empty for the root. */
  readonly basePath?: string;
  /** See `SchemaBook`. */
  readonly closedAnswers?: boolean;
}

/** The name of the service in its descriptions. */
export const productName = 'Receipt service';

const about = `Stores structured digital receipts, takes raw ones and converts them, lists, searches, patches, assigns and sends them.

**Authentication.** A bearer token (a JSON Web Token, HS256, with \`kid\`), for machines; or a URL signature (\`key\`, \`expires\`, \`signature\` and, when it is confined to consumers, \`consumer\`), for the devices of end users. [Signing](docs/signing) shows both, with known answers.

**Idempotency.** A POST with an \`Idempotency-Key\` can be repeated: the same key and body give the first answer again for 24 hours.

**Errors.** Every refusal has a stable \`code\`; [the catalogue](docs/errors) says of each why it is given and what to do.

**Requests.** Every answer has a \`request-id\`; a sane one that is sent is kept. \`traceparent\` is continued. Unknown query parameters and unknown fields are refused.`;

const securitySchemes: JsonSchema = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'HS256, with `kid`; `exp` in seconds.',
  },
  operator: { type: 'http', scheme: 'bearer', description: 'The token of whoever runs the service.' },
  signatureKey: { type: 'apiKey', in: 'query', name: 'key', description: 'The access key.' },
  signatureExpires: {
    type: 'apiKey',
    in: 'query',
    name: 'expires',
    description: 'When the signature expires, whole seconds since 1970, at most 24 hours ahead.',
  },
  signature: {
    type: 'apiKey',
    in: 'query',
    name: 'signature',
    description:
      'Base64 of HMAC-SHA256, keyed by the decoded secret, over `key`, newline, `expires`; or `key`, newline, `consumer` as it is sent, newline, `expires`.',
  },
};

const sharedParameters: JsonSchema = {
  pretty: {
    name: 'pretty',
    in: 'query',
    description: 'Readable formatting.',
    schema: { type: 'boolean', default: false },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Makes the request safe to repeat.',
    example: '3d1f6a52-9a0e-4c39-8f5c-1d7b0f2a6c11',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  'service-api-version': {
    name: 'service-api-version',
    in: 'header',
    description: 'Chooses the version. Echoed in the answer.',
    schema: { type: 'string', enum: ['1', '2'], default: '1' },
  },
};

const sharedHeaders: JsonSchema = {
  'request-id': { description: 'Names this request in our logs.', schema: { type: 'string' } },
  Location: {
    description: 'The new resource, relative to the base URL; on a redirect the address to follow.',
    schema: { type: 'string' },
  },
  'idempotent-replayed': {
    description: 'This is the answer of an earlier request with the same key.',
    schema: { type: 'string', const: 'true' },
  },
};

function pathsOf(components: Components, contracts: readonly MountedContract[]): JsonSchema {
  const byPath = new Map<string, Map<string, MountedContract[]>>();
  for (const contract of contracts) {
    const { path, method } = contract.http;
    const methods = byPath.get(path) ?? new Map<string, MountedContract[]>();
    byPath.set(path, methods);
    const same = methods.get(method) ?? [];
    methods.set(method, [...same, contract]);
  }
  return Object.fromEntries(
    [...byPath].map(([path, methods]) => [
      path,
      Object.fromEntries(
        [...methods].map(([method, same]) => [method.toLowerCase(), versionedOperation(components, same)]),
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
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: basePath === '' ? '/' : basePath }],
    tags: tags.map((name) => ({ name })),
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
