import { readdirSync } from 'node:fs';
import path from 'node:path';
import * as contracts from '@receipts/contracts';
import { defineEvent, eventOf, newId } from '@receipts/kernel';
import { z } from 'zod';
import type { Contracts } from '../http/routes';
import { platformContracts as platform, platformEvents as events } from '../platform';
import { testContracts } from '../testing/contracts';
import { describeApi } from './document';
import { errorAdvice } from './error-advice';
import { failureAdvice } from './failure-advice';
import { nameSchemas, type JsonSchema } from './json-schema';
import { descriptionPages } from './pages';

const things = [testContracts as unknown as Contracts];

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly {
    readonly name?: string;
    readonly $ref?: string;
    readonly schema?: JsonSchema;
  }[];
  readonly responses: Readonly<Record<string, JsonSchema>>;
  readonly security: readonly JsonSchema[];
}

function operation(api: JsonSchema, path: string, method: string): Operation {
  const paths = api['paths'] as Record<string, Record<string, Operation>>;
  const found = paths[path]?.[method];
  if (!found) throw new Error(`${method} ${path} is not described`);
  return found;
}

function references(value: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) value.forEach((member) => references(member, found));
  else if (value !== null && typeof value === 'object') {
    for (const [name, member] of Object.entries(value)) {
      if (name === '$ref' && typeof member === 'string') found.add(member);
      else references(member, found);
    }
  }
  return found;
}

function resolve(document: unknown, reference: string): unknown {
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], document);
}

nameSchemas(contracts);

const valueEvents = {
  valueChanged: defineEvent({
    type: 'value.changed',
    owner: 'test',
    collection: 'values',
    summary: 'A value',
    description: 'For tests.',
    version: 2,
    data: z.object({ value: z.string() }),
  }),
};

const platformPages = new Map(
  descriptionPages(platform, events, { version: '1.0.0' }).map((page) => [page.path, page]),
);

describe('the API description', () => {
  it('contains every contract with a route, each with its own operation id', () => {
    const api = describeApi(platform, { version: '1.0.0' });
    const mounted = platform.flatMap((each) => Object.values(each)).filter(({ http }) => http !== undefined);
    expect(mounted.length).toBeGreaterThan(0);
    for (const { http } of mounted) operation(api, http?.path ?? '', http?.method.toLowerCase() ?? '');
    const paths = Object.values(api['paths'] as Record<string, Record<string, Operation>>);
    const ids = paths.flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('contains no broken references', () => {
    for (const page of descriptionPages(platform, events, { version: '1.0.0' })) {
      if (!page.path.endsWith('.json')) continue;
      const document: unknown = JSON.parse(page.body.toString());
      for (const reference of references(document))
        expect([reference, resolve(document, reference)]).not.toContain(undefined);
    }
  });

  it('names schemas that are used in several places', () => {
    const api = describeApi(platform, { version: '1.0.0' });
    const { schemas } = api['components'] as { schemas: Record<string, JsonSchema> };
    expect(Object.keys(schemas)).toEqual(
      expect.arrayContaining(['Error', 'PostedReceipt', 'ReturnedReceipt']),
    );
    expect(JSON.stringify(api)).not.toContain('$defs');
  });

  it('describes query parameters as their builders parse them', () => {
    const { parameters } = operation(describeApi(things, { version: '1' }), '/things', 'get');
    expect(parameters.find(({ name }) => name === 'count')?.schema).toEqual({
      type: 'integer',
      minimum: 1,
      maximum: 20,
      default: 20,
    });
    expect(parameters.find(({ name }) => name === 'consumer')?.schema).toMatchObject({
      type: 'array',
      maxItems: 5,
    });
  });

  it('combines the versions of a route into one operation', () => {
    const { responses, parameters } = operation(describeApi(things, { version: '1' }), '/things', 'get');
    const content = responses['200']?.['content'] as Record<string, { schema: { oneOf: JsonSchema[] } }>;
    expect(content['application/json']?.schema.oneOf.map(({ type }) => type)).toEqual(['array', 'object']);
    expect(parameters.map(({ $ref }) => $ref)).toContain('#/components/parameters/service-api-version');
  });

  it('forbids additional members only when a test requests it', () => {
    const schemaOf = (closedAnswers: boolean) => {
      const api = describeApi(things, { version: '1', closedAnswers });
      const content = operation(api, '/things/{id}', 'get').responses['200']?.['content'];
      return (content as Record<string, { schema: JsonSchema }>)['application/json']?.schema;
    };
    expect(schemaOf(true)).toMatchObject({ additionalProperties: false });
    expect(schemaOf(false)).not.toHaveProperty('additionalProperties');
  });

  it('states who may call, and the possible errors', () => {
    const api = describeApi(things, { version: '1' });
    expect(operation(api, '/operator/things', 'get').security).toEqual([{ operator: [] }]);
    expect(operation(api, '/public/things', 'get').security).toEqual([]);
    expect(Object.keys(operation(api, '/things', 'post').responses)).toEqual(
      expect.arrayContaining(['201', '400', '401', '403', '413', '415', '422', '429', '503']),
    );
  });
});

describe('the documentation pages', () => {
  const htmlOf = (path: string) => platformPages.get(path)?.body.toString() ?? '';
  const reference = JSON.parse(htmlOf('/docs/api/openapi.json')) as {
    tags: readonly { name: string }[];
    paths: Record<string, Record<string, { operationId: string; tags: string[]; description: string }>>;
    components: { parameters: Record<string, object> };
  };
  const shown = Object.values(reference.paths).flatMap((methods) => Object.values(methods));
  const fragments = new Set([
    ...reference.tags.map(({ name }) => `tag/${name}`),
    ...shown.map(({ operationId, tags: [tag = ''] }) => `tag/${tag}/${operationId}`),
  ]);
  /** Whether a page has an element with this id. The viewer of the reference makes those of tags and operations. */
  const hasElement = (path: string, id: string) =>
    path === '/docs/api' ? fragments.has(id) : htmlOf(path).includes(`id="${id}"`);
  const pages = [...platformPages.values()].filter(({ contentType }) => contentType.startsWith('text/html'));

  it('load nothing from other origins, run no inline scripts, and link to each other', () => {
    expect(pages.length).toBeGreaterThan(50);
    for (const { path, headers } of pages) {
      const policy = headers?.['content-security-policy'] ?? '';
      expect(policy).toMatch(/^default-src 'none'; script-src 'self';/);
      // The viewer of the reference adds style elements; no page may run scripts that it did not load from here.
      expect(policy.replace(path === '/docs/api' ? "style-src 'self' 'unsafe-inline'" : '', '')).not.toMatch(
        /unsafe|https?:|\*/,
      );
      const html = htmlOf(path);
      expect(html).not.toMatch(
        /javascript:|<style|<script>|<img|<iframe|(?:src|href|action)=["']?(?:https?:)?\/\//i,
      );
      for (const [, address = ''] of html.matchAll(/(?:href|src)="(\/[^"#]*)/g)) {
        expect([path, address, platformPages.has(address)]).toEqual([path, address, true]);
      }
    }
  });

  it('list every operation for programs once, those for operators last, and no pages', () => {
    const { tags, paths } = reference;
    expect([tags[0]?.name, tags.at(-1)?.name]).toEqual(['receipts', 'operator']);
    for (const { name } of tags) expect(htmlOf('/docs')).toContain(`href="/docs/api#tag/${name}"`);
    const ids = shown.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(
      expect.arrayContaining(['createReceipt', 'putPortalUser', 'showReceiptPdf', 'createSubscription']),
    );
    expect(ids.filter((id) => /^(portal|operations)/.test(id))).toEqual([]);
    expect(paths['/operator/retailers']?.['post']?.tags).toEqual(['operator']);
  });

  it('link each operation to its particular errors', () => {
    const description = reference.paths['/receipts']?.['post']?.description ?? '';
    expect(description).toContain('[duplicate_transaction_id](/docs/errors/duplicate_transaction_id)');
    expect(description).not.toContain('internal_error');
    for (const [, address = ''] of JSON.stringify(reference).matchAll(/\]\((\/docs[^)#]*)/g))
      expect([address, platformPages.has(address)]).toEqual([address, true]);
  });

  it('show samples without a key that every reader would send', () => {
    const { 'Idempotency-Key': key } = reference.components.parameters;
    expect(key).toMatchObject({ name: 'Idempotency-Key', in: 'header' });
    expect(key).not.toHaveProperty('example');
  });

  it('contain every guide, whose links lead to other pages', () => {
    const guides = readdirSync(path.resolve(__dirname, '../../../../docs/guides'));
    expect(guides.length).toBeGreaterThan(10);
    for (const file of guides) {
      const name = file === 'README.md' ? '' : `/${path.basename(file, '.md')}`;
      const html = htmlOf(`/docs/guides${name}`);
      expect(html).toContain('<h1 id=');
      expect(html.replace(/<pre[^]*?<\/pre>/g, '')).not.toMatch(/\]\(|```|\*\*|(?<!\w)_[A-Za-z ]+_(?!\w)/);
    }
    for (const [from, html] of pages.map(({ path: from, body }) => [from, body.toString()] as const)) {
      for (const [, target = '', fragment] of html.matchAll(/href="(\/docs[^"#]*)#([^"]+)"/g)) {
        expect([from, target, fragment, hasElement(target, fragment ?? '')]).toEqual([
          from,
          target,
          fragment,
          true,
        ]);
      }
    }
  });

  it('can be searched: every entry links to an existing element', () => {
    const entries = JSON.parse(platformPages.get('/docs/search.json')?.body.toString() ?? '') as {
      kind: string;
      title: string;
      href: string;
    }[];
    const hrefOf = (kind: string, title: string) =>
      entries.find((one) => one.kind === kind && one.title === title)?.href;
    expect(hrefOf('Operation', 'Post a receipt')).toBe('/docs/api#tag/receipts/createReceipt');
    expect(hrefOf('Field', 'items.vat.rate')).toBe('/docs/api#tag/receipts/createReceipt');
    expect(hrefOf('Error', 'no_mapping')).toBe('/docs/failed-packets#no_mapping');
    expect(hrefOf('Event', 'receipt.created')).toBe('/docs/events#receipt.created');
    expect(
      entries.some(({ kind, href }) => kind === 'Guide' && /^\/docs\/guides\/post-receipts#.+/.test(href)),
    ).toBe(true);
    for (const { href } of entries) {
      const [target = '', id] = href.split('#');
      expect([href, id === undefined ? htmlOf(target) !== '' : hasElement(target, id)]).toEqual([href, true]);
    }
  });

  it('show every type of event', () => {
    for (const { type } of events.flatMap((each) => Object.values(each))) {
      expect(htmlOf('/docs/events')).toContain(`id="${type}"`);
    }
  });

  it('work under the public base path', () => {
    const under = descriptionPages(platform, events, { version: '1.0.0', basePath: '/shop' });
    const html = under.find(({ path }) => path === '/docs')?.body.toString() ?? '';
    expect(html).toContain('<body data-base="/shop">');
    expect(html).not.toMatch(/(?:href|src)="\/(?!shop\/)/);
    const bodyOf = (path: string) => under.find((page) => page.path === path)?.body.toString() ?? '';
    expect(bodyOf('/docs/api')).toContain('data-description="/shop/docs/api/openapi.json"');
    expect(bodyOf('/docs/api/openapi.json')).toContain('](/shop/docs/errors/');
    expect(bodyOf('/docs/api/openapi.json')).not.toMatch(/\]\(\/?docs/);
  });

  it('are the target of the redirect from the root', () => {
    expect(platformPages.get('/')).toMatchObject({ status: 302, headers: { location: '/docs' } });
  });
});

describe('the error catalogue', () => {
  it('explains every code of every operation, and no other', () => {
    const pages = [...platformPages.keys()].filter((path) => path.startsWith('/docs/errors/'));
    expect(pages.map((path) => path.slice('/docs/errors/'.length)).sort()).toEqual(
      Object.keys(errorAdvice).sort(),
    );
    const list = platformPages.get('/docs/errors')?.body.toString() ?? '';
    for (const code of Object.keys(errorAdvice)) {
      const html = platformPages.get(`/docs/errors/${code}`)?.body.toString() ?? '';
      expect(list).toContain(`errors/${code}"`);
      expect(html).toMatch(/<h2>Why<\/h2>\s*<p>.{20,}<h2>What to do<\/h2>\s*<p>.{20,}<h2>Where<\/h2>/s);
    }
  });

  it('links to each operation that can return an error, even if there are many', () => {
    const html = platformPages.get('/docs/errors/rate_limited')?.body.toString() ?? '';
    expect(html).toMatch(/<details>\s*<summary>\d{2,} operations<\/summary>/);
    expect(html).toContain('<a href="/docs/api#tag/receipts/createReceipt"><code>POST /receipts</code></a>');
  });

  it('has a different text for each code and each packet failure', () => {
    const sentences = [...Object.values(errorAdvice), ...Object.values(failureAdvice)].map(
      ({ cause }) => cause,
    );
    expect(new Set(sentences).size).toBe(sentences.length);
  });

  it('explains why packets fail', () => {
    const html = platformPages.get('/docs/failed-packets')?.body.toString() ?? '';
    for (const reason of contracts.failureReasons) expect(html).toContain(`<h2 id="${reason}">`);
  });
});

describe('events', () => {
  it('refer to a schema that can be fetched and that matches their example', () => {
    const asyncapi = JSON.parse(platformPages.get('/asyncapi.json')?.body.toString() ?? '') as {
      servers: Record<string, { protocol: string; description: string }>;
      components: {
        messages: Record<
          string,
          { headers: JsonSchema; examples: { payload: { dataschema: string; data: object } }[] }
        >;
      };
    };
    expect(Object.values(asyncapi.servers)).toMatchObject([{ protocol: 'amqp' }]);
    const types = events.flatMap((each) => Object.values(each)).map(({ type }) => type);
    expect(types.length).toBeGreaterThan(10);
    for (const event of events.flatMap((each) => Object.values(each))) {
      const payload = asyncapi.components.messages[event.type]?.examples[0]?.payload;
      const headers = asyncapi.components.messages[event.type]?.headers;
      expect(Object.keys((headers?.['properties'] ?? {}) as object)).toContain('traceparent');
      const page = platformPages.get(payload?.dataschema ?? '');
      expect(page?.contentType).toBe('application/schema+json');
      expect(JSON.parse(page?.body.toString() ?? '')).toMatchObject({ $id: payload?.dataschema });
      expect(event.data.safeParse(payload?.data).error?.issues ?? []).toEqual([]);
    }
  });
});

describe('operations', () => {
  interface Described {
    readonly name?: string;
    readonly description?: string;
    readonly example?: unknown;
    readonly schema?: JsonSchema;
    readonly $ref?: string;
  }
  const api = () => describeApi(platform, { version: '1.0.0' });

  it('show possible values of every parameter, by an example or by the schema', () => {
    const document = api();
    const shared = (document['components'] as { parameters: Record<string, Described> }).parameters;
    const paths = Object.entries(
      document['paths'] as Record<string, Record<string, { parameters: Described[] }>>,
    );
    const silent: string[] = [];
    for (const [path, methods] of paths) {
      for (const [method, { parameters }] of Object.entries(methods)) {
        for (const each of parameters) {
          const { name, example, schema = {} } = shared[each.$ref?.split('/').at(-1) ?? ''] ?? each;
          const type = { string: 'string', integer: 'number', number: 'number' }[String(schema['type'])];
          const isShown =
            schema['type'] === 'boolean' ||
            ['enum', 'default', 'const', 'examples'].some((keyword) => keyword in schema) ||
            (example !== undefined && (type === undefined || typeof example === type));
          if (!isShown) silent.push(`${method} ${path} ${name ?? ''}`);
        }
      }
    }
    expect(silent).toEqual([]);
  });

  it('have schemas that are as strict as possible: currencies, alternatives, and required headers', () => {
    const document = api();
    const { schemas } = document['components'] as { schemas: Record<string, JsonSchema> };
    const { l10n } = schemas['PostedReceipt']?.['properties'] as { l10n: JsonSchema };
    expect(JSON.stringify(l10n)).toContain('"AED","AFN"');
    const paths = document['paths'] as Record<string, Record<string, JsonSchema>>;
    const { content } = paths['/receipts/_send']?.['post']?.['requestBody'] as {
      content: Record<string, { schema: JsonSchema }>;
    };
    expect(content['application/json']?.schema['oneOf']).toEqual([
      { required: ['id'] },
      { required: ['transaction_id'] },
    ]);
    const { parameters } = operation(document, '/attachments', 'post');
    const disposition = parameters.find(({ name }) => name === 'content-disposition');
    expect(disposition).toMatchObject({ in: 'header', required: true });
  });

  it('with two versions name the header that selects the version', () => {
    const { parameters, responses } = operation(api(), '/receipts', 'get');
    const chooser = parameters.find(({ $ref }) => $ref?.endsWith('/service-api-version'));
    expect(chooser).toBeDefined();
    const { description, content } = responses['200'] as {
      description: string;
      content: Record<string, { schema: JsonSchema }>;
    };
    expect(description).toContain('`service-api-version`');
    expect(content['application/json']?.schema['oneOf']).toHaveLength(2);
  });

  it('that accept an idempotency key list the errors of the key', () => {
    const { responses } = operation(api(), '/receipts', 'post');
    expect(JSON.stringify(responses['409'])).toContain('idempotency_mismatch');
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['408', '409', '422', '429', '503']));
  });
});

it('serves the schema of an event at the address of its version, which the event contains', () => {
  const pages = new Map(
    descriptionPages([], [valueEvents], { version: '1.0.0' }).map((page) => [page.path, String(page.body)]),
  );
  expect(JSON.parse(pages.get('/schemas/value.changed/2') ?? '')).toMatchObject({
    $id: '/schemas/value.changed/2',
    properties: { value: { type: 'string' } },
  });
  expect(pages.get('/asyncapi.json')).toContain('"const":"/schemas/value.changed/2"');
  const call = { id: newId(), requestId: 'r', retailer: 'demo' };
  const facts = { subject: 'x', sequence: 1, data: { value: 'a' } };
  const { text } = eventOf(valueEvents.valueChanged, facts, call, new Date());
  expect(JSON.parse(text)).toMatchObject({ dataschema: '/schemas/value.changed/2' });
});
