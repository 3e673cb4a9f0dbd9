import { adminWorld, callOf, refusalOf, type AdminWorld } from '../../testing/admin-world';

let world: AdminWorld;

beforeAll(async () => {
  world = await adminWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.reset();
});

const post = (body: object, call = callOf()) => world.ask('createStore', { body: body as never }, call);

describe('createStore', () => {
  it('keeps the order of properties, and keys with dots and dollar signs', async () => {
    const properties = { 'a.b': { $c: [1, null] }, z: 1, a: 2 };
    await post({ reference: 7, name: 'Rue de Rivoli', country: 'FRA', properties });
    const { body } = await world.ask('getStore', { params: { reference: '7' } });
    expect(JSON.stringify(body.properties)).toBe(JSON.stringify(properties));
  });

  it('fills missing fields with null, and missing lists and free-form fields with empty values', async () => {
    await post({ name: 'Rue de Rivoli', country: 'FRA', phone: null });
    const { body } = await world.ask('getStore', { params: { reference: '1' } });
    expect(body).toEqual({
      id: 1,
      reference: 1,
      external_reference: null,
      name: 'Rue de Rivoli',
      address: [],
      city: null,
      postcode: null,
      country: 'FRA',
      phone: null,
      vatno: null,
      company: null,
      locale: null,
      timezone: null,
      currency: null,
      properties: {},
      settings: {},
      updated_timestamp: '2026-05-17T10:00:00.500+00:00',
    });
  });

  it('allocates references above the existing references', async () => {
    await post({ reference: 41, name: 'a', country: 'FRA' });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => post({ name: `b${n}`, country: 'FRA' })),
    );
    const references = answers.map(({ body }) => body.reference).sort((a, b) => a - b);
    expect(references).toEqual([42, 43, 44, 45, 46, 47, 48, 49, 50, 51]);
  });

  it('accepts each reference and each external reference once', async () => {
    await post({ reference: 1, external_reference: 'x', name: 'a', country: 'FRA' });
    expect(await refusalOf(post({ reference: 1, name: 'b', country: 'FRA' }))).toBe('409 store_exists');
    expect(await refusalOf(post({ external_reference: 'x', name: 'b', country: 'FRA' }))).toBe(
      '409 store_exists',
    );
    const racing = Array.from({ length: 20 }, () => post({ reference: 2, name: 'c', country: 'FRA' }));
    const outcomes = await Promise.allSettled(racing);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it("does not see another retailer's stores", async () => {
    await post({ reference: 1, external_reference: 'x', name: 'a', country: 'FRA' });
    const other = callOf({ retailer: 'other' });
    await post({ reference: 1, external_reference: 'x', name: 'b', country: 'DEU' }, other);
    const { body } = await world.ask('getStore', { params: { reference: 'x' } }, other);
    expect(body).toMatchObject({ id: 1, name: 'b' });
  });

  it('publishes one event', async () => {
    await post({ name: 'a', country: 'FRA' });
    expect(world.events).toHaveLength(1);
    expect(world.events[0]).toMatchObject({
      type: 'store.created',
      source: '/retailers/demo/stores',
      subject: '1',
      sequence: 1,
      data: { retailer: 'demo', id: 1, name: 'a', properties: {}, version: 1 },
    });
  });

  it('returns the same store for the same idempotency key', async () => {
    const call = () => callOf({ idempotencyKey: 'k' });
    const first = await post({ name: 'a', country: 'FRA' }, call());
    const again = await post({ name: 'a', country: 'FRA' }, call());
    expect(again).toMatchObject({ body: first.body, replayed: true });
    expect(await refusalOf(post({ name: 'b', country: 'FRA' }, call()))).toBe('409 idempotency_mismatch');
    expect(world.events).toHaveLength(1);
  });

  it('reports every invalid field', async () => {
    const wrong = {
      reference: 0,
      external_reference: '',
      name: 'n'.repeat(101),
      address: 'no list',
      city: '',
      postcode: '12345678901',
      country: 'fra',
      phone: 5,
      timezone: 'Europe/Nowhere',
      currency: 'EURO',
      id: 1,
    };
    const refusal = await refusalOf(post(wrong));
    const [status, code, ...paths] = refusal.split(' ');
    expect(`${status} ${code}`).toBe('422 schema_validation_failed');
    expect(new Set(paths)).toEqual(new Set(Object.keys(wrong).map((field) => `/${field}`)));
    expect(await refusalOf(post({}))).toBe('422 schema_validation_failed /name /country');
  });

  it.each(['FRA', 'SCG', 'YUG', 'XKX', 'FR', 'ROM'])('country %s', async (country) => {
    const expected = ['FRA', 'SCG', 'YUG'].includes(country)
      ? 'no refusal'
      : '422 schema_validation_failed /country';
    expect(await refusalOf(post({ name: 'a', country }))).toBe(expected);
  });
});

describe('getStore', () => {
  it('prefers the external reference, and otherwise treats digits as the reference', async () => {
    await post({ reference: 42, name: 'by number', country: 'FRA' });
    await post({ reference: 1, external_reference: '42', name: 'by external reference', country: 'FRA' });
    const nameOf = async (reference: string) =>
      (await world.ask('getStore', { params: { reference } })).body.name;
    expect(await nameOf('42')).toBe('by external reference');
    expect(await nameOf('0042')).toBe('by number');
    expect(await refusalOf(nameOf('43'))).toBe('404 not_found');
    expect(await refusalOf(nameOf('99999999999999999999'))).toBe('404 not_found');
  });
});

describe('a caller who is restricted to stores', () => {
  it('finds and lists only those', async () => {
    const first = { external_reference: 'opera', reference: 42, name: 'Opéra', country: 'FRA' };
    await world.ask('createStore', { body: first });
    await world.ask('createStore', { body: { reference: 43, name: 'Nation', country: 'FRA' } });
    for (const stores of [['42'], ['opera'], ['0042', 'elsewhere']]) {
      const call = callOf({ stores });
      const listed = await world.ask('listStores', { query: {} }, call);
      expect(listed.body.stores.map(({ name }) => name)).toEqual(['Opéra']);
      const get = (reference: string) => world.ask('getStore', { params: { reference } }, call);
      expect((await get('42')).body.name).toBe('Opéra');
      expect(await refusalOf(get('43'))).toBe(await refusalOf(get('999')));
    }
  });
});

describe('listStores', () => {
  it('pages from the newest to the oldest', async () => {
    for (const name of ['a', 'b', 'c']) await post({ name, country: 'FRA' });
    await post({ name: 'foreign', country: 'FRA' }, callOf({ retailer: 'other' }));
    const first = await world.ask('listStores', { query: { count: 2 } });
    expect(first.body.stores.map(({ name }) => name)).toEqual(['c', 'b']);
    expect(first.body._links).toEqual({ next: { href: '/stores?count=2&older=2' } });
    const second = await world.ask('listStores', { query: { count: 2, older: 2 } });
    expect(second.body.stores.map(({ name }) => name)).toEqual(['a']);
    expect(second.body._links).toEqual({});
    expect(await refusalOf(world.ask('listStores', { query: { older: 9 } }))).toBe(
      '400 unknown_cursor /older',
    );
  });
});
