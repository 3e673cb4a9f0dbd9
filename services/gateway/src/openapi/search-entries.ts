import { errorAdvice } from './error-advice';
import { failureAdvice } from './failure-advice';
import type { Guide } from './guides';
import type { JsonSchema } from './json-schema';
import type { Operation, OperationGroup } from './operation-groups';
import type { Resolve } from './schema-view';

/** What the search finds. The words of an entry are its title and its text. */
export interface SearchEntry {
  readonly kind: 'Operation' | 'Field' | 'Guide' | 'Error' | 'Event';
  readonly title: string;
  readonly text: string;
  /** The address, without the public prefix of the service. */
  readonly href: string;
}

const depthMax = 4;
const textCharactersMax = 200;

const shortened = (text: string) => text.slice(0, textCharactersMax);

/** The members of a schema with their descriptions, by path, such as `items.vat.rate`. */
function* membersOf(
  given: JsonSchema,
  resolve: Resolve,
  path = '',
  depth = 0,
): Generator<readonly [string, string]> {
  if (depth > depthMax) return;
  const schema = resolve(given);
  const inner = [schema['items'], schema['oneOf'], schema['anyOf']].flat() as (JsonSchema | undefined)[];
  for (const one of inner) if (one !== undefined) yield* membersOf(one, resolve, path, depth + 1);
  for (const [name, member] of Object.entries(
    (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>,
  )) {
    const { description } = resolve(member);
    const own = path === '' ? name : `${path}.${name}`;
    yield [own, typeof description === 'string' ? description : ''];
    yield* membersOf(member, resolve, own, depth + 1);
  }
}

function fieldsOf(operation: Operation, href: string, resolve: Resolve): SearchEntry[] {
  const found = new Map<string, string>();
  for (const { name, description = '' } of operation.parameters) found.set(name, description);
  const success = Object.entries(operation.responses).find(([status]) => /^2/.test(status));
  for (const { schema } of [...Object.values(operation.body), ...Object.values(success?.[1].content ?? {})]) {
    for (const [name, description] of membersOf(schema, resolve))
      if (!found.has(name)) found.set(name, description);
  }
  const { method, path } = operation;
  return [...found].map(([name, description]) => ({
    kind: 'Field',
    title: name,
    text: shortened(`${method} ${path} · ${description}`),
    href,
  }));
}

function operationEntries(groups: readonly OperationGroup[], resolve: Resolve): SearchEntry[] {
  return groups.flatMap(({ name, operations }) =>
    operations.flatMap((operation): SearchEntry[] => {
      const { id, method, path, summary, description } = operation;
      const href = `/docs/api/${name}#${id}`;
      const own = {
        kind: 'Operation' as const,
        title: summary,
        text: `${method} ${path}. ${description}`,
        href,
      };
      return [own, ...fieldsOf(operation, href, resolve)];
    }),
  );
}

/** Everything that the search of the documentation finds. A field that several operations share is listed for each. */
export function searchEntries(
  {
    groups,
    guides,
    events,
  }: {
    readonly groups: readonly OperationGroup[];
    readonly guides: readonly Guide[];
    readonly events: Readonly<Record<string, { readonly summary: string; readonly description: string }>>;
  },
  resolve: Resolve,
): readonly SearchEntry[] {
  const explained = (advice: { readonly cause: string; readonly cure: string }) =>
    `${advice.cause} ${advice.cure}`;
  return [
    ...operationEntries(groups, resolve),
    ...guides.flatMap(({ name, title, sections }) =>
      sections.map((section): SearchEntry => ({
        kind: 'Guide',
        title: section.title === title ? title : `${title}: ${section.title}`,
        text: section.text,
        href: `/docs/guides${name === '' ? '' : `/${name}`}#${section.id}`,
      })),
    ),
    ...Object.entries(errorAdvice).map(([code, advice]): SearchEntry => ({
      ...{ kind: 'Error', title: code, text: explained(advice), href: `/docs/errors/${code}` },
    })),
    ...Object.entries(failureAdvice).map(([reason, advice]): SearchEntry => ({
      ...{ kind: 'Error', title: reason, text: explained(advice), href: `/docs/failed-packets#${reason}` },
    })),
    ...Object.entries(events).map(([type, { summary, description }]): SearchEntry => ({
      ...{ kind: 'Event', title: type, text: `${summary}. ${description}`, href: `/docs/events#${type}` },
    })),
  ];
}
