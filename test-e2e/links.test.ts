import { until } from '@receipts/testing';
import type { Client, TestRetailer } from './harness/client';
import type { HttpResponse, RequestOptions } from './harness/http';
import { uniqueId } from './harness/receipts';
import { anonymous, aRetailer, operator, sharedPlatform } from './harness/shared-platform';

/** The rule of docs/interface.md, "Links". */

type JsonSchema = Readonly<Record<string, unknown>>;

interface Response {
  readonly headers?: JsonSchema;
  readonly content?: Readonly<Record<string, { readonly schema?: JsonSchema }>>;
}
type Paths = Readonly<
  Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Response>> }>>>
>;

let retailer: TestRetailer;
let nobody: Client;
let theOperator: Client;
let api: { readonly paths: Paths };

beforeAll(async () => {
  [retailer, nobody, theOperator] = await Promise.all([
    aRetailer({ response_links: true }),
    anonymous(),
    operator(),
  ]);
  api = (await nobody.get('/openapi.json')).body as typeof api;
});

/** True if a schema has members that hold links, at any depth. */
function hasLinks(schema: unknown, seen = new Set<unknown>()): boolean {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return false;
  seen.add(schema);
  const { $ref, properties } = schema as { readonly $ref?: string; readonly properties?: object };
  if (properties && ('href' in properties || 'url' in properties)) return true;
  const target = $ref
    ?.split('/')
    .slice(1)
    .reduce<unknown>((value, name) => (value as JsonSchema)[name], api);
  return [target, ...Object.values(schema)].some((each) => hasLinks(each, seen));
}

/** Every operation whose successful response has a link or a Location. */
const linkBearing = () =>
  Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { responses }]) =>
        Object.entries(responses).some(
          ([status, { headers = {}, content = {} }]) =>
            Number(status) < 300 && ('Location' in headers || hasLinks(content['application/json']?.schema)),
        ),
      )
      .map(([method]) => `${method} ${path}`),
  );

/** Operations that return URLs chosen by the client, not links of the platform. */
const ofTheClient = new Set([
  'get /webhooks/endpoints/{id}',
  'patch /webhooks/endpoints/{id}',
  'get /operator/retailers/{id}',
  'patch /operator/retailers/{id}',
  'get /operator/retailers/{id}/subscriptions',
]);
const keysOfTheClient = new Set(['brand', 'request']);

function linksIn(value: unknown, urls: boolean): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]: [string, unknown]) => {
    if (keysOfTheClient.has(key)) return [];
    if (typeof member === 'string' && (key === 'href' || (urls && key === 'url'))) return [member];
    return linksIn(member, urls);
  });
}

const visited = new Set<string>();

/** Follows every link of a response: relative links with the same client, absolute links without credentials. */
async function followed(
  template: string,
  client: Client,
  answer: HttpResponse,
  { headers }: RequestOptions = {},
): Promise<string[]> {
  expect([template, answer.status < 300]).toEqual([template, true]);
  visited.add(template);
  const location = answer.headers.location;
  const urls = !/\/(?:webhooks|operator)\//.test(template);
  const links = [...linksIn(answer.body, urls), ...(location === undefined ? [] : [location])];
  for (const link of links) {
    expect([template, link, /[?&](?:key|expires|signature)=/.test(link)]).toEqual([template, link, false]);
    if (link.startsWith('/')) {
      // Only broker subscriptions have a link that does not support GET.
      const found = await until(`${template} ${link}`, async () => {
        const read = await client.get(link, undefined, headers);
        return read.status !== 409 && read;
      });
      expect([template, link, found.status]).toEqual([
        template,
        link,
        /\/subscriptions\//.test(link) ? 405 : 200,
      ]);
    } else {
      const { origin, pathname } = new URL(link);
      expect(link.startsWith(`${sharedPlatform().credentials.baseUrl}/`)).toBe(true);
      const page = await nobody.get(pathname);
      expect([template, origin + pathname, page.status]).toEqual([template, origin + pathname, 200]);
    }
  }
  return links;
}

async function visit(
  template: string,
  client: Client,
  path: string,
  options: RequestOptions = {},
): Promise<HttpResponse> {
  const { method } = options;
  const answer = await client.call(path, options);
  const links = await followed(template, client, answer, method === undefined ? options : {});
  expect([template, links.length > 0]).toEqual([template, true]);
  return answer;
}

const posted = (body: unknown): RequestOptions => ({ method: 'POST', body });
const twice = async <T>(make: () => Promise<T>): Promise<T> => {
  await make();
  return make();
};

it('every link in every response follows the rule and can be followed', async () => {
  const { api: client, id } = retailer;
  const attachment = await visit('post /attachments', client, '/attachments', {
    method: 'POST',
    body: 'warranty',
    headers: { 'content-type': 'text/plain', 'content-disposition': 'attachment; filename=a.txt' },
  });
  const receipt = () => ({
    transaction_id: uniqueId('link'),
    localtime: '2026-03-14T12:30:00+01:00',
    store_reference: 1,
    total: 1,
    items: [{ name: 'Coffee', quantity: 1, total: 1 }],
    attachments: { warranty: { id: attachment.body.id as string } },
  });
  const created = await twice(() => visit('post /receipts', client, '/receipts', posted(receipt())));
  await visit('post /receipts/_batch', client, '/receipts/_batch', posted({ receipts: [receipt()] }));
  await visit('post /receipts/_link', client, '/receipts/_link', posted({ count: 2 }));
  const receiptPath = `/receipts/${created.body.id}`;
  const v2 = { headers: { 'service-api-version': '2' }, query: { count: 1 } };
  await visit('get /receipts', client, '/receipts', v2);
  await visit('get /receipts/{id}', client, receiptPath);
  await visit('get /receipts/{id}/links', client, `${receiptPath}/links`);
  await visit('post /receipts/{id}/links/_revoke', client, `${receiptPath}/links/_revoke`, posted({}));
  await visit('patch /receipts/{id}', client, receiptPath, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json-patch+json' },
    body: [{ op: 'add', path: '/properties/note', value: 'x' }],
  });
  const assigning = await retailer.clientWith({
    permissions: ['view.*'],
    settings: { assign_returns_receipt: true },
  });
  const assignment = posted({ id: created.body.id, identifier: 'jane' });
  await visit('post /receipts/_assign', assigning, '/receipts/_assign', assignment);
  await until('the receipt is found', async () => {
    const found = await client.get('/receipts/_search', { query: 'items.name:coffee' });
    return found.body.hits > 0;
  });
  await visit('post /receipts/{id}/_gift', client, `${receiptPath}/_gift`, posted({}));
  await visit('post /receipts/{id}/_void', client, `${receiptPath}/_void`, posted({}));
  await visit('get /receipts/_search', client, '/receipts/_search', {
    query: { query: 'items.name:coffee' },
  });

  await visit(
    'post /pos/mappings',
    client,
    '/pos/mappings',
    posted({
      id: 'plain',
      match: { content_type: ['application/json'] },
      decode: { type: 'json' },
      transform: { language: 'jsonata', expression: 'doc' },
    }),
  );
  await client.post('/pos/mappings/plain/_activate', {});
  const { attachments: _attachments, ...raw } = receipt();
  await twice(() =>
    visit('post /pos/receipts', client, '/pos/receipts', posted({ ...raw, transaction_id: uniqueId('raw') })),
  );
  await visit('get /pos/packets', client, '/pos/packets', { query: { count: 1 } });
  visited.add('get /pos/mappings');
  await followed('get /pos/mappings', client, await client.get('/pos/mappings'));

  let number = 10;
  const store = () => posted({ reference: number++, name: 'Shop', country: 'FRA' });
  await twice(() => visit('post /stores', client, '/stores', store()));
  await visit('get /stores', client, '/stores', { query: { count: 1 } });
  const person = () => posted({ identifier: uniqueId('a b@example.com') });
  await twice(() => visit('post /identifiers', client, '/identifiers', person()));
  await visit('get /identifiers', client, '/identifiers', { query: { count: 1 } });
  const newClient = () => posted({ description: 'a client', permissions: [] });
  const made = await twice(() =>
    visit('post /clients/{authentication}', client, '/clients/bearer', newClient()),
  );
  await visit('get /clients/{authentication}', client, '/clients/bearer', { query: { count: 1 } });
  const tokens = `/clients/bearer/${made.body.id}/tokens`;
  await twice(() => client.post(tokens, {}));
  await visit('get /clients/bearer/{client_id}/tokens', client, tokens, { query: { count: 1 } });

  const hook = () => posted({ url: 'http://127.0.0.1:9/hook', event_types: ['receipt.created'] });
  const endpoint = await twice(() =>
    visit('post /webhooks/endpoints', client, '/webhooks/endpoints', hook()),
  );
  await visit('get /webhooks/endpoints', client, '/webhooks/endpoints', { query: { count: 1 } });
  const endpointPath = `/webhooks/endpoints/${endpoint.body.id}`;
  await twice(() => client.post(`${endpointPath}/_test`, {}));
  await until('two deliveries', async () => {
    const { body } = await client.get(`${endpointPath}/deliveries`);
    return body.deliveries.length >= 2;
  });
  const deliveries = 'get /webhooks/endpoints/{id}/deliveries';
  await visit(deliveries, client, `${endpointPath}/deliveries`, { query: { count: 1 } });
  await visit('get /events', client, '/events');

  const another = posted({ id: `${id}-x`, name: 'Another' });
  await visit('post /operator/retailers', theOperator, '/operator/retailers', another);
  await visit('get /operator/retailers', theOperator, '/operator/retailers', { query: { count: 1 } });
  await visit('get /operator/audit', theOperator, '/operator/audit', { query: { count: 1 } });
  // The Location of a first credential can be followed only with a credential of its retailer.
  const first = await theOperator.post(`/operator/retailers/${id}/clients/hmac`, newClient().body);
  const ofClient = 'post /operator/retailers/{id}/clients/{authentication}';
  await followed(ofClient, client, first);
  const subscriptions = `/operator/retailers/${id}/subscriptions`;
  const subscription = posted({ name: 'erp', types: ['receipt.*'] });
  await visit('post /operator/retailers/{id}/subscriptions', theOperator, subscriptions, subscription);
  await theOperator.call(`${subscriptions}/erp`, { method: 'DELETE' });
  // Usually there are no dead letters and therefore no next page.
  const letters = 'get /operator/messages/dead-letters';
  await followed(letters, theOperator, await theOperator.get('/operator/messages/dead-letters'));

  expect([...linkBearing()].filter((each) => !ofTheClient.has(each)).sort()).toEqual([...visited].sort());
});
