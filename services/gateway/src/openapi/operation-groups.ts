import type { JsonSchema } from './json-schema';
import { tagTexts } from './tag-texts';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description?: string;
  readonly schema: JsonSchema;
}

interface Content {
  readonly schema: JsonSchema;
  readonly examples?: Readonly<Record<string, { readonly summary?: string }>>;
}

export interface DescribedResponse {
  readonly description: string;
  readonly content?: Readonly<Record<string, Content>>;
}

/** An operation of the API description. */
export interface DescribedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly (Parameter & { readonly $ref?: string })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, DescribedResponse & { readonly $ref?: string }>>;
}

export interface ApiDescription {
  readonly info: { readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, DescribedResponse>>;
  };
}

/** The name of the component that a reference refers to. */
export const targetOf = (reference: string) => reference.split('/').at(-1) ?? '';

export interface Operation {
  /** In upper case. */
  readonly method: string;
  readonly path: string;
  readonly described: DescribedOperation;
  /** Its address in the documentation, without the public prefix. */
  readonly address: string;
}

export interface OperationGroup {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Its address in the documentation, without the public prefix. */
  readonly address: string;
  readonly isForOperators: boolean;
  readonly operations: readonly Operation[];
}

/** The page of the reference. The fragments are those that it gives to tags and operations. */
export const referencePath = '/docs/api';
const addressOf = (group: string) => `${referencePath}#tag/${group}`;

/** `.well-known` has the keys with which proofs are verified. */
const groupByTag: Readonly<Record<string, string>> = { '.well-known': 'verify' };
/** The group of the pages on which consumers unsubscribe. */
const unsubscribing = 'u';

function isPage({ tags: [tag = ''], responses }: DescribedOperation): boolean {
  const types = Object.entries(responses).flatMap(([status, { content = {} }]) =>
    /^[23]/.test(status) ? Object.keys(content) : [],
  );
  const isHtml = types.length > 0 && types.every((type) => type === 'text/html');
  return isHtml || tag === unsubscribing;
}

const methods = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'];

/** Short paths first, single resources before actions, and creating before reading. */
function byPath(a: Operation, b: Operation): number {
  const depth = ({ path }: Operation) => path.split('/').length;
  const order = ({ path }: Operation) => path.replaceAll('{', ' ');
  if (a.path === b.path) return methods.indexOf(a.method) - methods.indexOf(b.method);
  return depth(a) - depth(b) || (order(a) < order(b) ? -1 : 1);
}

/** The operations that programs call, by group. Pages for consumers are not listed. */
export function operationGroups({ paths }: ApiDescription): readonly OperationGroup[] {
  const groups = new Map<string, Operation[]>(Object.keys(tagTexts).map((name) => [name, []]));
  for (const [path, byMethod] of Object.entries(paths)) {
    for (const [method, described] of Object.entries(byMethod)) {
      if (isPage(described)) continue;
      const tag = described.tags[0] ?? '';
      const name = groupByTag[tag] ?? tag;
      const operations = groups.get(name) ?? [];
      groups.set(name, operations);
      const address = `${addressOf(name)}/${described.operationId}`;
      operations.push({ method: method.toUpperCase(), path, described, address });
    }
  }
  return [...groups]
    .filter(([, operations]) => operations.length > 0)
    .map(([name, operations]) => {
      const { title = name, description = '' } = tagTexts[name] ?? {};
      return {
        name,
        title,
        description,
        address: addressOf(name),
        isForOperators: name === 'operator',
        operations: operations.toSorted(byPath),
      };
    });
}
