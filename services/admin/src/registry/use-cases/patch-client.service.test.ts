import { adminWorld, callOf, refusalOf, type AdminWorld } from '../../testing/admin-world';

let world: AdminWorld;
let secret: string;

beforeAll(async () => {
  world = await adminWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.reset();
  const permissions = ['view.get_receipt', 'view.post_receipt'];
  const created = await world.ask('createClient', {
    params: { authentication: 'hmac' },
    body: { description: 'till', permissions, key: 'abcdefghij0123456789' },
  });
  secret = created.body.secret ?? '';
  world.events.length = 0;
});

const patch = (body: object, call = callOf(), client_id = '1') =>
  world.ask('patchClient', { params: { authentication: 'hmac', client_id }, body: body as never }, call);

describe('a caller that must name a consumer', () => {
  const confined = () => callOf({ settings: { consumer_required: true } });
  const settings = async () =>
    (await world.ask('getClient', { params: { authentication: 'hmac', client_id: '1' } })).body.settings;

  it('cannot change unrestricted clients', async () => {
    expect(await refusalOf(patch({ description: 'x' }, confined()))).toBe('403 permission_denied');
    expect(await refusalOf(patch({ settings: { consumer_required: true } }, confined()))).toBe(
      '403 permission_denied',
    );
    expect(await settings()).toEqual({});
  });

  it('cannot remove the restriction, not even from itself, but may change other fields', async () => {
    await patch({ settings: { consumer_required: true } });
    expect(await refusalOf(patch({ settings: { consumer_required: false } }, confined()))).toBe(
      '403 permission_denied',
    );
    await patch({ description: 'x', settings: { assign_returns_receipt: true } }, confined());
    expect(await settings()).toEqual({ consumer_required: true, assign_returns_receipt: true });
    await patch({ settings: { consumer_required: false } });
    expect(await settings()).toMatchObject({ consumer_required: false });
  });
});

describe('patchClient', () => {
  it('changes the given fields and returns the secret', async () => {
    const changes = { description: 'new', revoked: true, key: 'k'.repeat(20), signature_max_age: 60 };
    const { body } = await patch(changes);
    expect(body).toEqual({
      id: 1,
      permissions: ['view.get_receipt', 'view.post_receipt'],
      settings: {},
      secret,
      ...changes,
    });
    expect(world.events).toHaveLength(1);
    expect(world.events[0]).toMatchObject({
      type: 'client.revoked',
      data: { key: 'k'.repeat(20), previous_key: 'abcdefghij0123456789', revoked: true, version: 2 },
    });
  });

  it('replaces, adds and removes permissions', async () => {
    const after = async (body: object) => (await patch(body)).body.permissions;
    expect(await after({ 'permissions+=': ['view.get_store', 'view.get_receipt'] })).toEqual([
      'view.get_receipt',
      'view.post_receipt',
      'view.get_store',
    ]);
    expect(await after({ 'permissions-=': ['view.post_receipt', 'view.get_client'] })).toEqual([
      'view.get_receipt',
      'view.get_store',
    ]);
    expect(await after({ permissions: ['view.get_client'] })).toEqual(['view.get_client']);
  });

  it('merges settings', async () => {
    await patch({ settings: { consumer_required: true } });
    const { body } = await patch({ settings: { assign_returns_receipt: true } });
    expect(body.settings).toEqual({ consumer_required: true, assign_returns_receipt: true });
  });

  it('publishes client.updated when it restores access', async () => {
    await patch({ revoked: true });
    await patch({ revoked: false });
    expect(world.events.map(({ type }) => type)).toEqual(['client.revoked', 'client.updated']);
  });

  it('returns the secret if nothing changes', async () => {
    expect((await patch({ description: 'till' })).body.secret).toBe(secret);
    expect(world.events).toHaveLength(0);
  });

  it.each<[string, object, string]>([
    [
      'two permission fields',
      { permissions: [], 'permissions+=': [] },
      '422 schema_validation_failed /permissions+=',
    ],
    [
      'three permission fields',
      { permissions: [], 'permissions+=': [], 'permissions-=': [] },
      '422 schema_validation_failed /permissions+= /permissions-=',
    ],
    [
      'an unknown permission',
      { 'permissions-=': ['view.x'] },
      '422 schema_validation_failed /permissions-=/0',
    ],
    ['a secret', { secret: 'x' }, '422 schema_validation_failed /secret'],
    ['an empty description', { description: '' }, '422 schema_validation_failed /description'],
  ])('rejects %s', async (_what, body, refusal) => {
    expect(await refusalOf(patch(body))).toBe(refusal);
  });

  it('rejects a key that is taken, and unknown clients', async () => {
    await world.ask('createClient', {
      params: { authentication: 'bearer' },
      body: { description: 'b', permissions: [], key: 'b'.repeat(20) },
    });
    expect(await refusalOf(patch({ key: 'b'.repeat(20) }))).toBe('409 client_key_exists');
    expect(await refusalOf(patch({}, callOf(), '2'))).toBe('404 not_found');
    expect(await refusalOf(patch({}, callOf({ retailer: 'other' })))).toBe('404 not_found');
  });

  it('is denied to a caller with fewer permissions than the client', async () => {
    const weak = callOf({ permissions: ['view.patch_client', 'view.get_receipt'] });
    expect(await refusalOf(patch({ description: 'x' }, weak))).toBe('403 permission_denied');
    expect(await refusalOf(patch({ permissions: [] }, weak))).toBe('403 permission_denied');
    const equal = () =>
      callOf({ permissions: ['view.get_receipt', 'view.post_receipt', 'view.patch_client'] });
    expect((await patch({ 'permissions+=': ['view.patch_client'] }, equal())).body.permissions).toHaveLength(
      3,
    );
    expect(await refusalOf(patch({ 'permissions+=': ['view.get_store'] }, equal()))).toBe(
      '403 permission_denied',
    );
    expect(await refusalOf(patch({ permissions: ['view.*'] }, equal()))).toBe('403 permission_denied');
  });

  it('does not lose concurrent changes', async () => {
    const added = [
      'view.get_store',
      'view.post_store',
      'view.patch_store',
      'view.get_client',
      'view.get_packet',
    ];
    await Promise.all(added.map((permission) => patch({ 'permissions+=': [permission] })));
    const { body } = await patch({});
    expect(new Set(body.permissions)).toEqual(new Set(['view.get_receipt', 'view.post_receipt', ...added]));
  });
});
