import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { Inspect } from './client';
import { request } from './http';

interface Described {
  readonly $ref?: string;
  readonly content?: Record<
    string,
    { readonly schema?: object; readonly examples?: Readonly<Record<string, unknown>> }
  >;
}
interface Operation {
  readonly responses: Record<string, Described>;
}
interface Description {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly responses: Record<string, Described> };
}

/** Statuses that the gateway may return for an endpoint that does not describe them, because of what a test sent to it. */
const edgeStatuses = new Set([401, 403, 404, 405, 406, 415, 422]);

const byBaseUrl = new Map<string, Promise<Inspect>>();

function pathMatcher(template: string): RegExp {
  const pattern = template
    .split(/(\{[^}]+\})/)
    .map((part) => (part.startsWith('{') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
    .join('');
  return new RegExp(`^${pattern}$`);
}

async function build(baseUrl: string): Promise<Inspect> {
  const description = (await request(baseUrl, '/openapi.json')).body as Description;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  ajv.addSchema(description, 'api');
  const validators = new Map<string, ValidateFunction>();
  const escape = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
  const validatorOf = (pointer: readonly string[]): ValidateFunction => {
    const ref = `api#/${pointer.map(escape).join('/')}`;
    const known = validators.get(ref);
    if (known) return known;
    const made = ajv.compile({ $ref: ref });
    validators.set(ref, made);
    return made;
  };
  // Literal paths precede those with parameters, because /receipts/_search is not a receipt id.
  const templates = Object.keys(description.paths)
    .sort((a, b) => a.split('{').length - b.split('{').length)
    .map((template) => ({ template, matcher: pathMatcher(template) }));

  return (method, path, answer) => {
    const bare = path.split('?')[0] ?? path;
    const found = templates.find(({ matcher }) => matcher.test(bare));
    if (answer.status >= 500)
      throw new Error(`${method} ${path} gave ${answer.status}: ${answer.bytes.toString()}`);
    if (answer.headers['request-id'] === undefined) throw new Error(`${method} ${path}: no request-id`);
    // Errors of HTML pages are HTML pages, too.
    const isPage = (answer.headers['content-type'] ?? '').startsWith('text/html');
    if (answer.status >= 400 && !isPage) checkError(method, path, answer.body);
    const verb = method.toLowerCase();
    const operation = found && description.paths[found.template]?.[verb];
    if (!found || !operation) return;
    const described = operation.responses[String(answer.status)];
    if (answer.status >= 400 && !isPage)
      checkCode(`${method} ${found.template} ${answer.status}`, answer.body, codesOf(description, described));
    if (!described) {
      if (edgeStatuses.has(answer.status)) return;
      throw new Error(`${method} ${found.template} does not describe status ${answer.status}`);
    }
    const type = (answer.headers['content-type'] ?? '').split(';')[0] ?? '';
    if (answer.body === undefined || !described.content?.[type]?.schema) return;
    const pointer = [
      'paths',
      found.template,
      verb,
      'responses',
      String(answer.status),
      'content',
      type,
      'schema',
    ];
    const validate = validatorOf(pointer);
    if (!validate(answer.body)) {
      const faults = ajv.errorsText(validate.errors?.slice(0, 5));
      throw new Error(`${method} ${path} (${answer.status}) breaks the description: ${faults}`);
    }
  };
}

/** The codes of a described error response, which has an example for each. */
function codesOf({ components }: Description, described: Described | undefined): string[] {
  const name = described?.$ref?.split('/').at(-1);
  const response = name === undefined ? described : components.responses[name];
  return Object.keys(response?.content?.['application/json']?.examples ?? {});
}

/** @throws Error if the operation does not declare the code of an error response */
function checkCode(answered: string, body: unknown, declared: readonly string[]): void {
  const { code } = (body ?? {}) as { code?: string };
  if (code === undefined || declared.includes(code)) return;
  throw new Error(`${answered} does not describe the code ${code}`);
}

function checkError(method: string, path: string, body: unknown): void {
  const error = body as { description?: unknown; status?: unknown; request_id?: unknown } | undefined;
  const ok =
    method === 'HEAD' ||
    (typeof error?.description === 'string' &&
      typeof error.status === 'string' &&
      typeof error.request_id === 'string');
  if (!ok) throw new Error(`${method} ${path}: the error body has not the shape of the interface`);
}

/**
 * Checks every response against `/openapi.json`: its status and code must be declared, and its body must conform to the
 * schema.
 */
export function conformance(baseUrl: string): Promise<Inspect> {
  const known = byBaseUrl.get(baseUrl);
  if (known) return known;
  const made = build(baseUrl);
  byBaseUrl.set(baseUrl, made);
  return made;
}
