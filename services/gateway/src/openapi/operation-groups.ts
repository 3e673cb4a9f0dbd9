import type { JsonSchema } from './json-schema';
import { tagTexts } from './tag-texts';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly schema: JsonSchema;
}

export interface Content {
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface DescribedResponse {
  readonly description: string;
  readonly content?: Readonly<Record<string, Content>>;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly isPublic: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: Readonly<Record<string, Content>>;
  readonly isBodyRequired: boolean;
  readonly responses: Readonly<Record<string, DescribedResponse>>;
}

export interface OperationGroup {
  readonly name: string;
  readonly title: string;
  readonly isForOperators: boolean;
  readonly operations: readonly Operation[];
}

/** `.well-known` has the keys with which proofs are verified. */
const groupByTag: Readonly<Record<string, string>> = { '.well-known': 'verify' };
/** In these groups, operations without authentication are pages for people in browsers. */
const pageTags: ReadonlySet<string> = new Set(['portal', 'operator', 'u']);

interface RawOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly unknown[];
  readonly parameters: readonly (Parameter & { readonly $ref?: string })[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, DescribedResponse & { readonly $ref?: string }>>;
}

export interface Components {
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly responses: Readonly<Record<string, DescribedResponse>>;
}

export interface ApiDescription {
  readonly info: { readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  readonly components: Components;
}

const targetOf = (reference: string) => reference.split('/').at(-1) ?? '';

function isPage({ tags: [tag = ''], security, responses }: RawOperation): boolean {
  const types = Object.entries(responses).flatMap(([status, { content = {} }]) =>
    /^[23]/.test(status) ? Object.keys(content) : [],
  );
  const isHtml = types.length > 0 && types.every((type) => type === 'text/html');
  return isHtml || (pageTags.has(tag) && security.length === 0);
}

const methods = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'];

/** Short paths first, single resources before actions, and creating before reading. */
function byPath(a: Operation, b: Operation): number {
  const depth = ({ path }: Operation) => path.split('/').length;
  const order = ({ path }: Operation) => path.replaceAll('{', ' ');
  if (a.path === b.path) return methods.indexOf(a.method) - methods.indexOf(b.method);
  return depth(a) - depth(b) || (order(a) < order(b) ? -1 : 1);
}

/** The operations that programs call, by group. Pages are not listed. */
export function operationGroups({ paths, components }: ApiDescription): readonly OperationGroup[] {
  const groups = new Map<string, Operation[]>(Object.keys(tagTexts).map((name) => [name, []]));
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, raw] of Object.entries(methods)) {
      if (isPage(raw)) continue;
      const tag = raw.tags[0] ?? '';
      const name = groupByTag[tag] ?? tag;
      const operations = groups.get(name) ?? [];
      groups.set(name, operations);
      operations.push({
        ...{ id: raw.operationId, method: method.toUpperCase(), path },
        ...{ summary: raw.summary, description: raw.description, isPublic: raw.security.length === 0 },
        parameters: raw.parameters.flatMap((one) =>
          one.$ref === undefined ? [one] : (components.parameters[targetOf(one.$ref)] ?? []),
        ),
        body: raw.requestBody?.content ?? {},
        isBodyRequired: raw.requestBody?.required ?? false,
        responses: Object.fromEntries(
          Object.entries(raw.responses).map(([status, response]) => [
            status,
            response.$ref === undefined
              ? response
              : (components.responses[targetOf(response.$ref)] ?? response),
          ]),
        ),
      });
    }
  }
  return [...groups]
    .filter(([, operations]) => operations.length > 0)
    .map(([name, operations]) => {
      const title = tagTexts[name]?.title ?? name;
      return { name, title, isForOperators: name === 'operator', operations: operations.toSorted(byPath) };
    });
}
