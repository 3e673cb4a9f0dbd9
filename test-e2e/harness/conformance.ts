import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { Inspect } from './client';
import { request, type HttpResponse } from './http';

interface Described {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly $ref?: string;
  readonly content?: Record<
    string,
    { readonly schema?: object; readonly examples?: Readonly<Record<string, unknown>> }
  >;
}
interface Operation {
  readonly security: readonly object[];
  readonly responses: Record<string, Described>;
}
interface Description {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly responses: Record<string, Described> };
}

/**
 * Statuses that the gateway may return for an endpoint that does not describe them, because of what a test has sent.
 */
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

  const templateOf = (path: string): string => {
    const bare = path.split('?', 1)[0] as string;
    return templates.find(({ matcher }) => matcher.test(bare))?.template ?? '';
  };
  const checkBody = (asked: string, pointer: readonly string[], body: unknown) => {
    const validate = validatorOf(pointer);
    if (validate(body)) return;
    throw new Error(`${asked} breaks the description: ${ajv.errorsText(validate.errors?.slice(0, 5))}`);
  };

  return (method, path, answer) => {
    const { status, headers, body } = answer;
    const type = headers['content-type']?.split(';')[0] ?? '';
    // Errors of HTML pages are also HTML pages.
    const isError = status >= 400 && type !== 'text/html';
    checkAnswer(`${method} ${path}`, answer);
    if (isError) checkError(method, path, body);
    const template = templateOf(path);
    const verb = method.toLowerCase();
    const operation = description.paths[template]?.[verb];
    if (!operation) return;
    const described = operation.responses[status];
    const asked = `${method} ${template} (${status})`;
    if (status < 400) checkLocation(asked, headers, described);
    if (isError) checkCode(asked, body, codesOf(description, described));
    if (!described) return checkEdgeStatus(`${method} ${template}`, status, operation);
    // A file that `format` chooses has a form of its own.
    const isFile = headers['content-disposition'] !== undefined;
    if (body === undefined || isFile || !described.content?.[type]?.schema) return;
    checkBody(asked, ['paths', template, verb, 'responses', String(status), 'content', type, 'schema'], body);
  };
}

/** @throws Error for a server error, or a response without an id */
function checkAnswer(asked: string, { status, headers, bytes }: HttpResponse): void {
  if (status >= 500) throw new Error(`${asked} returned ${status}: ${bytes.toString()}`);
  if (headers['request-id'] === undefined) throw new Error(`${asked}: no request-id`);
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

/** @throws Error for a status that the operation does not describe and that does not come from the gateway's edge */
function checkEdgeStatus(answered: string, status: number, { security }: Operation): void {
  const isOfPage = security.length === 0 && status === 404;
  if (edgeStatuses.has(status) && !isOfPage) return;
  throw new Error(`${answered} does not describe status ${status}`);
}

/** @throws Error if a successful response has an undocumented Location, or lacks a documented one */
function checkLocation(
  answered: string,
  headers: HttpResponse['headers'],
  described: Described | undefined,
): void {
  const isPromised = described?.headers?.['Location'] !== undefined;
  const isThere = headers.location !== undefined;
  if (described && isPromised !== isThere)
    throw new Error(
      `${answered} ${isPromised ? 'promises a Location and has none' : 'has an undocumented Location'}`,
    );
}

function checkError(method: string, path: string, body: unknown): void {
  const error = body as { description?: unknown; status?: unknown; request_id?: unknown } | undefined;
  const ok =
    method === 'HEAD' ||
    (typeof error?.description === 'string' &&
      typeof error.status === 'string' &&
      typeof error.request_id === 'string');
  if (!ok) throw new Error(`${method} ${path}: the error body does not have the documented shape`);
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
