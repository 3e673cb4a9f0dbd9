import { adminWorld, callOf, operatorCall, refusalOf, type AdminWorld } from '../../testing/admin-world';

let world: AdminWorld;

beforeAll(async () => {
  world = await adminWorld();
});
afterAll(() => world.close());
beforeEach(() => world.reset());

const create = (authentication: string, body: object, call = callOf()) =>
  world.ask('createClient', { params: { authentication }, body: body as never }, call);
const till = { description: 'till', permissions: ['view.post_receipt'] };

describe('createClient', () => {
  it('generates a key and a secret', async () => {
    const { body, meta } = await create('hmac', till);
    expect(body).toEqual({
      id: 1,
      description: 'till',
      permissions: ['view.post_receipt'],
      revoked: false,
      key: expect.stringMatching(/^[A-Za-z0-9_-]{20}$/) as string,
      secret: expect.any(String) as string,
      signature_max_age: 86_400,
      settings: {},
    });
    expect(Buffer.from(body.secret ?? '', 'base64')).toHaveLength(32);
    expect(meta).toEqual({ authentication: 'hmac', id: 1 });
  });

  it('uses the given key and secret', async () => {
    const given = {
      ...till,
      key: 'abcdefghij0123456789',
      secret: Buffer.alloc(40, 1).toString('base64'),
      revoked: true,
      signature_max_age: 60,
      settings: { consumer_required: true },
    };
    expect((await create('hmac', given)).body).toEqual({ id: 1, ...given });
  });

  it('never returns the secret again, and neither stores nor publishes it in plain text', async () => {
    const secret = Buffer.alloc(32, 9).toString('base64');
    await create('bearer', { ...till, secret }, callOf({ idempotencyKey: 'k' }));
    const read = await world.ask('getClient', { params: { authentication: 'bearer', client_id: '1' } });
    const listed = await world.ask('listClients', { params: { authentication: 'bearer' } });
    const snapshot = await world.ask('listCredentials', { body: { count: 10 } });
    const collections = await world.database.db.collections();
    const kept = await Promise.all(collections.map((collection) => collection.find().toArray()));
    for (const place of [read.body, listed.body, snapshot.body, world.events, kept]) {
      const printed = JSON.stringify(place);
      expect(printed).not.toContain(secret);
      expect(printed).not.toContain(Buffer.from(secret).toString('base64'));
    }
    expect(read.body).not.toHaveProperty('secret');
  });

  it('returns the first response to a retry with the same idempotency key, without the secret', async () => {
    const call = () => callOf({ idempotencyKey: 'k' });
    const first = await create('bearer', till, call());
    const again = await create('bearer', till, call());
    expect(again).toMatchObject({ body: { ...first.body, secret: null }, meta: first.meta, replayed: true });
  });

  it.each<[string, string, object, string]>([
    [
      'an unknown permission',
      'hmac',
      { ...till, permissions: ['view.nothing'] },
      '422 schema_validation_failed /permissions/0',
    ],
    [
      'no permissions and no description',
      'hmac',
      {},
      '422 schema_validation_failed /permissions /description',
    ],
    ['a short key', 'hmac', { ...till, key: 'abc' }, '422 schema_validation_failed /key'],
    ['a long key', 'hmac', { ...till, key: 'a'.repeat(21) }, '422 schema_validation_failed /key'],
    [
      'an age of zero',
      'hmac',
      { ...till, signature_max_age: 0 },
      '422 schema_validation_failed /signature_max_age',
    ],
    [
      'an age of more than a day',
      'hmac',
      { ...till, signature_max_age: 86_401 },
      '422 schema_validation_failed /signature_max_age',
    ],
    [
      'an age on a bearer client, and a bad secret',
      'bearer',
      { ...till, signature_max_age: 60, secret: '?' },
      '422 schema_validation_failed /secret /signature_max_age',
    ],
    ['a guessable secret', 'bearer', { ...till, secret: 'c2VjcmV0' }, '422 schema_validation_failed /secret'],
    [
      'an unknown setting',
      'hmac',
      { ...till, settings: { x: true } },
      '422 schema_validation_failed /settings/x',
    ],
    ['an unknown authentication', 'basic', till, '404 not_found'],
    ['an inherited authentication', 'toString', till, '404 not_found'],
  ])('rejects %s', async (_what, authentication, body, refusal) => {
    expect(await refusalOf(create(authentication, body))).toBe(refusal);
    expect(world.events).toHaveLength(0);
  });

  it('accepts each key once, across all retailers and both kinds of authentication', async () => {
    const key = 'abcdefghij0123456789';
    await create('hmac', { ...till, key });
    const other = callOf({ retailer: 'other' });
    expect(await refusalOf(create('bearer', { ...till, key }, other))).toBe('409 client_key_exists');
    const racing = { ...till, key: 'a'.repeat(20) };
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => create('hmac', racing)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('grants only permissions that the caller holds', async () => {
    const call = callOf({ permissions: ['view.post_client', 'view.get_receipt'] });
    expect(await refusalOf(create('hmac', till, call))).toBe('403 permission_denied');
    expect(await refusalOf(create('hmac', { ...till, permissions: ['view.*'] }, call))).toBe(
      '403 permission_denied',
    );
    const { body } = await create('hmac', { ...till, permissions: ['view.get_receipt'] }, call);
    expect(body.permissions).toEqual(['view.get_receipt']);
  });

  it('applies the restriction of the caller to new clients', async () => {
    const call = callOf({ settings: { consumer_required: true } });
    expect((await create('hmac', till, call)).body.settings).toEqual({ consumer_required: true });
    const off = { ...till, settings: { consumer_required: false } };
    expect(await refusalOf(create('hmac', off, call))).toBe('403 permission_denied');
  });

  it('publishes one event', async () => {
    const { body } = await create('hmac', till);
    expect(world.events).toHaveLength(1);
    expect(world.events[0]).toMatchObject({
      type: 'client.created',
      source: '/retailers/demo/clients',
      data: { id: 1, authentication: 'hmac', key: body.key, previous_key: null, revoked: false, version: 1 },
    });
  });
});

describe('createFirstClient', () => {
  it('allows the operator to grant everything to an existing retailer', async () => {
    const body = { description: 'first', permissions: ['view.*'] };
    const params = { id: 'acme', authentication: 'bearer' };
    const first = () => world.ask('createFirstClient', { params, body }, operatorCall());
    expect(await refusalOf(first())).toBe('404 not_found');
    await world.ask('createRetailer', { body: { id: 'acme', name: 'Acme' } }, operatorCall());
    expect((await first()).body).toMatchObject({ id: 1, permissions: ['view.*'] });
    expect(world.events.at(-1)).toMatchObject({ type: 'client.created', retailer: 'acme' });
  });
});

describe('listClients and getClient', () => {
  it('keep authentications and retailers separate', async () => {
    for (const description of ['a', 'b', 'c']) await create('hmac', { ...till, description });
    await create('bearer', { ...till, description: 'd' });
    const list = (query: { count?: number; older?: number }, call = callOf()) =>
      world.ask('listClients', { params: { authentication: 'hmac' }, query }, call);
    const first = await list({ count: 2 });
    expect(first.body.clients.map(({ description }) => description)).toEqual(['c', 'b']);
    expect(first.body._links.next).toEqual({ href: '/clients/hmac?count=2&older=2' });
    expect((await list({ count: 2, older: 2 })).body._links).toEqual({});
    expect((await list({}, callOf({ retailer: 'other' }))).body.clients).toEqual([]);

    const get = (authentication: string, client_id: string, call = callOf()) =>
      refusalOf(world.ask('getClient', { params: { authentication, client_id } }, call));
    expect(await get('hmac', '1')).toBe('no refusal');
    for (const [authentication, id] of [
      ['hmac', '4'],
      ['hmac', 'x'],
      ['hmac', '01'],
      ['basic', '1'],
    ] as const) {
      expect(await get(authentication, id)).toBe('404 not_found');
    }
    expect(await get('hmac', '1', callOf({ retailer: 'other' }))).toBe('404 not_found');
  });
});
