import { errorAdvice } from './error-advice';
import { failureAdvice } from './failure-advice';
import type { Guide } from './guides';
import type { JsonSchema } from './json-schema';
import { targetOf, type ApiDescription, type Operation, type OperationGroup } from './operation-groups';
import { resolver, type Resolve } from './schema-view';

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

interface Searched {
  readonly parameters: ApiDescription['components']['parameters'];
  readonly resolve: Resolve;
}

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

function fieldsOf({ method, path, described, address }: Operation, api: Searched): SearchEntry[] {
  const found = new Map<string, string>();
  const { parameters, requestBody, responses } = described;
  for (const { $ref, ...own } of parameters) {
    const { name, description = '' } = api.parameters[targetOf($ref ?? '')] ?? own;
    found.set(name, description);
  }
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'));
  const bodies = [requestBody?.content, success?.[1].content].flatMap((content) =>
    Object.values(content ?? {}),
  );
  for (const { schema } of bodies) {
    for (const [name, description] of membersOf(schema, api.resolve))
      if (!found.has(name)) found.set(name, description);
  }
  return [...found].map(([name, description]) => ({
    kind: 'Field',
    title: name,
    text: shortened(`${method} ${path} · ${description}`),
    href: address,
  }));
}

function operationEntries(groups: readonly OperationGroup[], api: Searched): SearchEntry[] {
  return groups.flatMap(({ operations }) =>
    operations.flatMap((operation): SearchEntry[] => {
      const { method, path, described, address } = operation;
      const { summary, description } = described;
      const text = `${method} ${path}. ${description}`;
      return [{ kind: 'Operation', title: summary, text, href: address }, ...fieldsOf(operation, api)];
    }),
  );
}

/** Everything that the search of the documentation finds. A field that several operations share is listed for each. */
export function searchEntries({
  groups,
  components,
  guides,
  events,
}: {
  readonly groups: readonly OperationGroup[];
  readonly components: ApiDescription['components'];
  readonly guides: readonly Guide[];
  readonly events: Readonly<Record<string, { readonly summary: string; readonly description: string }>>;
}): readonly SearchEntry[] {
  const { parameters, schemas } = components;
  const explained = (advice: { readonly cause: string; readonly cure: string }) =>
    `${advice.cause} ${advice.cure}`;
  return [
    ...operationEntries(groups, { parameters, resolve: resolver(schemas) }),
    ...guides.flatMap(({ name, title, sections }) =>
      sections.map((section): SearchEntry => ({
        kind: 'Guide',
        title: section.title === title ? title : `${title}: ${section.title}`,
        text: section.text,
        href: `/docs/guides${name === '' ? '' : `/${name}`}#${section.id}`,
      })),
    ),
    ...Object.entries(errorAdvice).map(([code, advice]): SearchEntry => ({
      kind: 'Error',
      title: code,
      text: explained(advice),
      href: `/docs/errors/${code}`,
    })),
    ...Object.entries(failureAdvice).map(([reason, advice]): SearchEntry => ({
      kind: 'Error',
      title: reason,
      text: explained(advice),
      href: `/docs/failed-packets#${reason}`,
    })),
    ...Object.entries(events).map(([type, { summary, description }]): SearchEntry => ({
      kind: 'Event',
      title: type,
      text: `${summary}. ${description}`,
      href: `/docs/events#${type}`,
    })),
  ];
}
