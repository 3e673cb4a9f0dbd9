import type { JsonSchema } from './json-schema';
import {
  targetOf,
  type ApiDescription,
  type DescribedOperation,
  type OperationGroup,
  type Parameter,
} from './operation-groups';

/** The codes of the errors that an operation returns. */
function errorCodes({ responses }: DescribedOperation, { components }: ApiDescription): readonly string[] {
  return Object.entries(responses)
    .filter(([status]) => /^[45]/.test(status))
    .flatMap(([, { $ref, content }]) => {
      const described = $ref === undefined ? content : components.responses[targetOf($ref)]?.content;
      return Object.keys(described?.['application/json']?.examples ?? {});
    });
}

/** The errors that at least half of all operations return. They are not repeated for each. */
function commonErrors(api: ApiDescription, groups: readonly OperationGroup[]): ReadonlySet<string> {
  const operations = groups.flatMap((group) => group.operations);
  const counts = new Map<string, number>();
  for (const { described } of operations)
    for (const code of errorCodes(described, api)) counts.set(code, (counts.get(code) ?? 0) + 1);
  return new Set([...counts].filter(([, count]) => 2 * count >= operations.length).map(([code]) => code));
}

/**
 * Operations share these parameters. Without an example and a default, samples omit them: a key that is copied would
 * return the response to somebody's earlier request.
 */
function bare({ schema, ...parameter }: Parameter): Parameter {
  const { example: _example, ...others } = parameter as typeof parameter & { readonly example?: unknown };
  const { default: _default, ...plain } = schema;
  return { ...others, schema: plain };
}

/** Links in descriptions are relative to the address of `/openapi.json`. The page that shows them has another one. */
const withLinksUnder = (markdown: string, basePath: string) =>
  markdown.replaceAll('](docs', `](${basePath}/docs`);

/**
 * The API description as the reference page shows it: the operations for programs, sorted, in groups with titles, and
 * with links to the pages of their errors.
 */
export function referenceDocument(
  api: ApiDescription,
  groups: readonly OperationGroup[],
  basePath: string,
): JsonSchema {
  const common = commonErrors(api, groups);
  const explained = (operation: DescribedOperation) => {
    const links = errorCodes(operation, api)
      .filter((code) => !common.has(code))
      .map((code) => `[${code}](${basePath}/docs/errors/${code})`);
    const description = withLinksUnder(operation.description, basePath);
    return links.length === 0 ? description : `${description}\n\n**Errors:** ${links.join(', ')}.`;
  };
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { name, operations } of groups) {
    for (const { method, path, described } of operations) {
      const shown = { ...described, description: explained(described), tags: [name] };
      paths[path] = { ...paths[path], [method.toLowerCase()]: shown };
    }
  }
  const { info, components } = api;
  const parameters = Object.entries(components.parameters).map(([name, shared]) => [name, bare(shared)]);
  return {
    ...api,
    info: { ...info, description: withLinksUnder(info.description, basePath) },
    tags: groups.map(({ name, title, description }) => ({ name, description, 'x-displayName': title })),
    paths,
    components: { ...components, parameters: Object.fromEntries(parameters) as unknown },
  };
}
