import { newId, ServiceError } from '@receipts/kernel';
import { callOf, createdEvent, receiptOf, retailerOf } from '../../testing/samples';
import { startWorld, type World } from '../../testing/world';

let world: World;
let retailer: string;

beforeAll(async () => {
  world = await startWorld();
});
beforeEach(() => {
  retailer = newRetailer();
});
afterAll(() => world.close());

function newRetailer(): string {
  const id = `r-${newId()}`;
  world.retailers.set(id, retailerOf(id));
  return id;
}
const url = 'https://shop.example/hook';
const call = () => callOf(retailer);
const create = async (body: object = {}) =>
  (await world.ask('createWebhookEndpoint', { body: { url, ...body } }, call())).body;
const get = async (id: string) => (await world.ask('getWebhookEndpoint', { params: { id } }, call())).body;
const patch = (id: string, body: unknown, more: object = {}) =>
  world.ask('patchWebhookEndpoint', { params: { id }, body, ...more } as never, call());
const jsonPatch = { contentType: 'application/json-patch+json' };
async function refusalOf(answer: Promise<unknown>): Promise<string> {
  const outcome = await answer.catch((error: unknown) => error);
  if (!(outcome instanceof ServiceError)) return 'no refusal';
  const at = outcome.errors?.map(({ path, code }) => ` ${path} ${code}`).join(',') ?? '';
  return `${outcome.status} ${outcome.code}${at}`;
}

it('creates an endpoint with the defaults of the interface, shows its secret once and stores it encrypted', async () => {
  const answer = await world.ask('createWebhookEndpoint', { body: { url } }, call());
  const { id, secret, ...shown } = answer.body;
  expect(answer.meta).toEqual({ id });
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(shown).toEqual({
    url,
    description: null,
    event_types: ['*'],
    filter: null,
    payload: 'thin',
    ordering: 'none',
    enabled: true,
    disabled_reason: null,
    failing_since: null,
    created_timestamp: expect.stringMatching(/\+00:00$/),
    updated_timestamp: shown.created_timestamp,
  });
  expect(await get(id)).toEqual({ id, ...shown });
  const stored = await world.database.db
    .collection<{ _id: string }>('webhook_endpoints')
    .findOne({ _id: id });
  expect(JSON.stringify(stored)).not.toContain(secret?.slice('whsec_'.length, 20));
});

it('returns the same endpoint without its secret for a retried request', async () => {
  const keyed = callOf(retailer, { idempotencyKey: newId() });
  const first = await world.ask('createWebhookEndpoint', { body: { url } }, keyed);
  const again = await world.ask('createWebhookEndpoint', { body: { url } }, { ...keyed, id: newId() });
  expect(first.body.secret).toMatch(/^whsec_/);
  expect(again).toMatchObject({ replayed: true, body: { ...first.body, secret: null } });
  const records = await world.database.db.collection('idempotency').find({}).toArray();
  const kept = records.map((record) =>
    Buffer.from((record['body'] as { buffer?: Uint8Array }).buffer ?? []).toString(),
  );
  expect(kept.join()).not.toContain('whsec_');
});

it.each<[object, string]>([
  [{ url: 'https://10.0.0.1/' }, '422 schema_validation_failed /url invalid_url'],
  [{ filter: 'colour:red' }, '422 schema_validation_failed /filter invalid_query'],
  [
    { url: 'https://10.0.0.1/', filter: 'total:' },
    '422 schema_validation_failed /url invalid_url, /filter invalid_query',
  ],
])('rejects %j and reports every error', async (body, refusal) => {
  expect(await refusalOf(create(body))).toBe(refusal);
  const { id } = await create();
  expect(await refusalOf(patch(id, body))).toBe(refusal);
});

it("allows the retailer's own fields in filters", async () => {
  const dynamic_fields = { receipt: { colour: 'exact' as const }, item: {} };
  world.retailers.set(retailer, retailerOf(retailer, { dynamic_fields }));
  expect(await create({ filter: 'dynamic.colour:red' })).toMatchObject({ filter: 'dynamic.colour:red' });
});

it('lists only the retailer’s endpoints, newest first, page by page', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.unshift((await create({ description: String(n) })).id);
  const page = async (query: object) =>
    (await world.ask('listWebhookEndpoints', { query: query as never }, call())).body;
  expect((await page({})).endpoints.map(({ id }) => id)).toEqual(ids);
  const first = await page({ count: 2 });
  expect(first._links).toEqual({ next: { href: `/webhooks/endpoints?count=2&older=${ids[1]}` } });
  expect((await page({ count: 3, older: ids[1] })).endpoints.map(({ id }) => id)).toEqual(ids.slice(2));
  expect((await page({ count: 3, older: ids[1] }))._links).toEqual({});
  expect(await refusalOf(page({ older: newId() }))).toBe('400 unknown_cursor /older unknown_cursor');
  expect(JSON.stringify(await page({}))).not.toContain('secret');
  retailer = newRetailer();
  expect(await page({})).toEqual({ endpoints: [], _links: {} });
  expect(await refusalOf(page({ older: ids[0] }))).toBe('400 unknown_cursor /older unknown_cursor');
});

it('changes the given fields with an object or a JSON Patch', async () => {
  const { id } = await create({ description: 'one' });
  const answer = await patch(id, { description: null, payload: 'full', event_types: ['receipt.*'] });
  expect(answer.body).toMatchObject({ url, description: null, payload: 'full', event_types: ['receipt.*'] });
  const operations = [{ op: 'replace', path: '/event_types/0', value: 'store.*' }];
  expect((await patch(id, operations, jsonPatch)).body.event_types).toEqual(['store.*']);
  expect((await get(id)).event_types).toEqual(['store.*']);
});

it('resets a field that a patch removes', async () => {
  const { id } = await create({
    description: 'one',
    event_types: ['receipt.*'],
    filter: 'total:10',
    payload: 'full',
    enabled: false,
  });
  const fields = ['description', 'event_types', 'filter', 'payload', 'enabled'];
  const operations = fields.map((field) => ({ op: 'remove', path: `/${field}` }));
  const defaults = {
    description: null,
    event_types: ['*'],
    filter: null,
    payload: 'thin',
    ordering: 'none',
    enabled: true,
  };
  expect((await patch(id, operations, jsonPatch)).body).toMatchObject(defaults);
  expect(await get(id)).toMatchObject(defaults);
});

it.each<[string, unknown, string]>([
  ['another id', [{ op: 'replace', path: '/id', value: 'x' }], '422 field_not_modifiable'],
  ['a body that is not a patch', { enabled: true }, '400 malformed_patch'],
  ['a test that fails', [{ op: 'test', path: '/enabled', value: false }], '409 patch_test_failed'],
  ['a path that does not exist', [{ op: 'remove', path: '/event_types/7' }], '422 patch_not_applicable'],
  ['no URL', [{ op: 'remove', path: '/url' }], '422 schema_validation_failed /url required'],
  [
    'an unknown type',
    [{ op: 'add', path: '/event_types/-', value: 'fax.*' }],
    '422 schema_validation_failed /event_types/1 unknown_event_type',
  ],
])('rejects a JSON Patch with %s', async (_what, operations, refusal) => {
  const { id } = await create();
  expect(await refusalOf(patch(id, operations, jsonPatch))).toBe(refusal);
});

it('rejects a patch of an endpoint that has changed since it was read', async () => {
  const { id } = await create();
  const read = await world.ask('getWebhookEndpoint', { params: { id } }, call());
  const headers = { 'if-match': (read.meta as { etag: string }).etag };
  expect((await patch(id, { description: 'first' }, { headers })).body.description).toBe('first');
  expect(await refusalOf(patch(id, { description: 'second' }, { headers }))).toBe('412 precondition_failed');
});

it('keeps how far the endpoint has read the log if an event arrives during a change', async () => {
  const { id } = await create();
  const endpoints = world.database.db.collection<{ _id: string; readUpTo: number }>('webhook_endpoints');
  const prototype = Object.getPrototypeOf(endpoints);
  const { findOne } = prototype;
  let reads = 0;
  const spy = jest.spyOn(prototype, 'findOne').mockImplementation(async function (this: any, ...args) {
    const found = await findOne.apply(this, args);
    // The second read is that of the change.
    if (this.collectionName === 'webhook_endpoints' && ++reads === 2) {
      expect(await world.deliver(createdEvent(retailer, receiptOf()))).toEqual([undefined, undefined]);
    }
    return found;
  });
  try {
    await patch(id, { description: 'changed' });
  } finally {
    spy.mockRestore();
  }
  expect(reads).toBe(2);
  expect(await endpoints.findOne({ _id: id })).toMatchObject({ readUpTo: 1 });
  expect((await get(id)).description).toBe('changed');
});

it('returns 404 for every request to a deleted endpoint', async () => {
  const { id } = await create();
  const named = { params: { id } };
  await world.ask('deleteWebhookEndpoint', named, call());
  for (const name of [
    'getWebhookEndpoint',
    'deleteWebhookEndpoint',
    'rotateWebhookSecret',
    'testWebhookEndpoint',
    'listWebhookDeliveries',
  ] as const) {
    expect(await refusalOf(world.ask(name, named as never, call()))).toBe('404 not_found');
  }
  expect(await refusalOf(patch(id, {}))).toBe('404 not_found');
  const recover = { params: { id }, body: { since: '2026-01-01T00:00:00Z' } };
  expect(await refusalOf(world.ask('recoverWebhookEndpoint', recover, call()))).toBe('404 not_found');
  const replay = { params: { id } };
  expect(await refusalOf(world.ask('replayWebhookDelivery', replay, call()))).toBe('404 not_found');
});

it("does not find another retailer's endpoint", async () => {
  const { id } = await create();
  const stranger = callOf(newRetailer());
  for (const name of [
    'getWebhookEndpoint',
    'deleteWebhookEndpoint',
    'rotateWebhookSecret',
    'testWebhookEndpoint',
  ] as const) {
    expect(await refusalOf(world.ask(name, { params: { id } } as never, stranger))).toBe('404 not_found');
  }
  expect((await get(id)).id).toBe(id);
});

it('lists the existing event types', async () => {
  const { event_types: types } = (await world.ask('listWebhookEventTypes', {}, call())).body;
  expect(types.map(({ type }) => type)).toEqual(
    expect.arrayContaining([
      'receipt.created',
      'delivery.failed',
      'webhook.endpoint_disabled',
      'store.created',
    ]),
  );
  expect(types[0]).toMatchObject({ schema: `/schemas/${types[0]?.type}/1` });
});

it('lists with an index', async () => {
  const { db } = world.database;
  const plans = await Promise.all([
    db
      .collection('webhook_endpoints')
      .find({ retailer, order: { $lt: 'x' } })
      .sort({ order: -1 })
      .explain(),
    db.collection('webhook_deliveries').find({ retailer, endpointId: 'e' }).sort({ order: -1 }).explain(),
    db
      .collection('webhook_deliveries')
      .find({ retailer, endpointId: 'e', status: 'failed' })
      .sort({ order: -1 })
      .explain(),
    db
      .collection('webhook_deliveries')
      .find({ retailer, endpointId: 'e', dueAt: { $lte: new Date() } })
      .sort({ dueAt: 1, order: 1 })
      .explain(),
    db
      .collection('event_log')
      .find({ retailer, position: { $gt: 1, $lte: 9 } })
      .sort({ position: 1 })
      .explain(),
    db.collection('event_log').find({ retailer }).sort({ position: -1 }).limit(1).explain(),
  ]);
  for (const plan of plans) expect(JSON.stringify(plan)).not.toMatch(/COLLSCAN|"SORT"/);
});
