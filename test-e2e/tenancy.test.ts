import * as contracts from '@receipts/contracts';
import type { Contract, HttpRoute } from '@receipts/kernel';
import type { TestRetailer } from './harness/client';
import type { HttpResponse } from './harness/http';
import { aRetailer } from './harness/shared-platform';

let owner: TestRetailer;
let stranger: TestRetailer;
/** The owner's resources, keyed by the path before their name. */
let things: Readonly<Record<string, string>>;

const missing: Readonly<Record<string, string>> = {
  receipts: '66500000aaaaaaaaaaaaaaaa',
  attachments: '66500000aaaaaaaaaaaaaaaa',
  'pos/packets': '66500000aaaaaaaaaaaaaaaa',
  'pos/mappings': 'no-such-mapping',
  stores: '999999',
  identifiers: 'nobody@nowhere.example',
  clients: '999999',
  'webhooks/endpoints': '66500000aaaaaaaaaaaaaaaa',
  'webhooks/deliveries': '66500000aaaaaaaaaaaaaaaa',
};

/**
 * Routes whose names are not specific to a retailer: e-mail addresses of portal users are unique across all retailers,
 * and retailers can have loyalty programs of the same name.
 */
const namedForAll = new Set(['portal', 'loyalty']);

type Mounted = Contract & { readonly http: HttpRoute };

function routes(): Mounted[] {
  return Object.values(contracts)
    .filter((each): each is Record<string, Contract> => typeof each === 'object' && each !== null)
    .flatMap((owned) => Object.values(owned))
    .filter(
      (each): each is Mounted =>
        typeof each === 'object' && each !== null && 'http' in each && 'kind' in each,
    )
    .filter(
      ({ http }) =>
        (http.access ?? 'retailer') === 'retailer' && http.path.replace('{authentication}', '').includes('{'),
    )
    .filter(({ http }) => !namedForAll.has(http.path.split('/')[1] ?? ''));
}

function placeOf(path: string): string {
  const place = Object.keys(missing).find((one) => path.startsWith(`/${one}/`));
  if (place === undefined) throw new Error(`there is no object to try ${path} with`);
  return place;
}

function addressOf({ path }: HttpRoute, id: string): string {
  return path.replace('{authentication}', 'bearer').replace(/\{[a-z_]+\}/g, encodeURIComponent(id));
}

/** A plausible body for the route. Its errors affect both requests alike. */
function requestOf({ http, body, examples }: Mounted) {
  const type = typeof body === 'object' && 'variants' in body ? Object.keys(body.variants)[0] : undefined;
  const example = examples?.request ?? (type?.includes('patch') ? [] : {});
  return {
    method: http.method,
    ...(body !== undefined && {
      body: type === undefined ? 'x' : JSON.stringify(example),
      headers: { 'content-type': type ?? 'text/plain' },
    }),
  };
}

/** A response without the parts that differ between requests. */
function comparable({ status, headers, bytes }: HttpResponse, id: string) {
  const text = bytes.toString().replaceAll(encodeURIComponent(id), '<id>').replaceAll(id, '<id>');
  return [
    status,
    headers['content-type'],
    text.replace(/"request_id": ?"[^"]*"/, '').replace(/"time":\d+/, ''),
  ];
}

beforeAll(async () => {
  [owner, stranger] = await Promise.all([aRetailer(), aRetailer()]);
  const { api } = owner;
  const receipt = await api.post('/receipts', {
    transaction_id: 'tenancy-1',
    localtime: '2024-05-17T14:03:22+02:00',
    store_reference: 1,
    total: 1,
    identifier: 'jane@tenancy.example',
    items: [{ name: 'Coffee', quantity: 1, total: 1 }],
  });
  const attachment = await api.post('/attachments', 'bytes', {
    'content-type': 'text/plain',
    'content-disposition': 'attachment; filename=a.txt',
  });
  const packet = await api.post('/pos/receipts', 'raw', { 'content-type': 'text/plain' });
  const mapping = await api.post('/pos/mappings', {
    id: 'tenancy-mapping',
    match: { content_type: ['text/x-tenancy'] },
    decode: { type: 'json' },
    transform: { language: 'jsonata', expression: '{}' },
    samples: [],
  });
  const store = await api.post('/stores', { name: 'Mine', country: 'FRA', reference: 4711 });
  const identifier = await api.post('/identifiers', { identifier: 'other@tenancy.example' });
  // Client ids are numbered per retailer. This one does not exist for the stranger.
  let client = await api.post('/clients/bearer', { description: 'x', permissions: [] });
  for (let n = 0; n < 4; n++)
    client = await api.post('/clients/bearer', { description: 'x', permissions: [] });
  const endpoint = await api.post('/webhooks/endpoints', { url: 'http://127.0.0.1:9/unreachable' });
  for (const made of [receipt, attachment, mapping, store, identifier, client, endpoint])
    expect(made.status).toBe(201);
  const delivery = await api.post(`/webhooks/endpoints/${String(endpoint.body.id)}/_test`, undefined);
  things = {
    receipts: String(receipt.body.id),
    attachments: String(attachment.body.id),
    'pos/packets': (packet.headers.location ?? '').split('/').at(-1) ?? '',
    'pos/mappings': 'tenancy-mapping',
    stores: '4711',
    identifiers: 'other@tenancy.example',
    clients: String(client.body.id),
    'webhooks/endpoints': String(endpoint.body.id),
    'webhooks/deliveries': String(delivery.body.id),
  };
});

it('every route with a name in its path responds to another retailer as if the object did not exist', async () => {
  const tried: string[] = [];
  const differing: unknown[] = [];
  for (const contract of routes()) {
    const place = placeOf(contract.http.path);
    const [theirs = '', none = ''] = [things[place], missing[place]];
    const options = requestOf(contract);
    const answers = [];
    for (const id of [theirs, none]) {
      answers.push(comparable(await stranger.api.call(addressOf(contract.http, id), options), id));
    }
    tried.push(contract.name);
    if (JSON.stringify(answers[0]) !== JSON.stringify(answers[1]))
      differing.push([contract.name, ...answers]);
    expect(JSON.stringify(answers)).not.toMatch(/tenancy-1|Coffee|Mine/);
  }
  expect(differing).toEqual([]);
  expect(tried.length).toBeGreaterThan(20);
});

/** The fastest of several responses, because other load on the machine can only increase the time. */
interface Quickest {
  theirs: number;
  none: number;
}

const pairsMin = 5;
const pairsMax = 200;
/**
 * The allowed difference, in milliseconds and as a proportion. Smaller differences cannot be measured over a network.
 */
const sameMs = 5;
const sameShare = 0.5;

it("responses for unknown objects and other retailers' objects take equally long", async () => {
  const differing: unknown[] = [];
  for (const contract of routes()) {
    const place = placeOf(contract.http.path);
    const options = requestOf(contract);
    const quickest: Quickest = { theirs: Infinity, none: Infinity };
    const ask = async (whose: keyof Quickest, id = '') => {
      const began = performance.now();
      await stranger.api.call(addressOf(contract.http, id), options);
      quickest[whose] = Math.min(quickest[whose], performance.now() - began);
    };
    const isSame = () => {
      const { theirs, none } = quickest;
      return Math.abs(theirs - none) <= Math.max(sameMs, sameShare * Math.min(theirs, none));
    };
    // Requests alternate, so that temporary load affects both. The minima converge with the number of pairs, unless the
    // amount of work differs.
    let pairs = 0;
    for (; pairs < pairsMin || (!isSame() && pairs < pairsMax); pairs++) {
      await ask('theirs', things[place]);
      await ask('none', missing[place]);
    }
    if (!isSame()) differing.push([contract.name, quickest]);
  }
  expect(differing).toEqual([]);
});

it('a name in a body is also unknown to other retailers', async () => {
  const { api } = stranger;
  for (const [id, transaction] of [
    [things['receipts'], 'tenancy-1'],
    [missing['receipts'], 'no-such'],
  ] as const) {
    const assigned = await api.post('/receipts/_assign', { id, identifier: 'x@y.example' });
    expect([assigned.status, assigned.body.code]).toEqual([422, 'receipt_not_found']);
    const sent = await api.post('/receipts/_send', { transaction_id: transaction, channels: ['email'] });
    expect([sent.status, sent.body.description]).toEqual([422, 'receipt not found']);
  }
});

it('lists and searches of another retailer are empty, and the objects are unchanged', async () => {
  const { api } = stranger;
  expect((await api.get('/receipts')).body).toEqual([]);
  expect((await api.get('/receipts', { id: things['receipts'] ?? '' })).body).toEqual([]);
  expect((await api.get('/receipts/_search', { query: 'items.name:coffee' })).body.hits).toBe(0);
  expect((await api.get('/stores')).body.stores).toEqual([]);
  const receipt = await owner.api.get(`/receipts/${things['receipts'] ?? ''}`);
  expect([receipt.status, receipt.body.identifier]).toEqual([200, 'jane@tenancy.example']);
  expect((await owner.api.get('/stores/4711')).body.name).toBe('Mine');
});
