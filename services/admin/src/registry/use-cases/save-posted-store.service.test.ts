import { adminWorld, callOf, refusalOf, type AdminWorld } from '../../testing/admin-world';

let world: AdminWorld;

beforeAll(async () => {
  world = await adminWorld();
});
afterAll(() => world.close());
beforeEach(() => world.reset());

const save = (store_reference: number | string, store: object) =>
  world.ask(
    'savePostedStore',
    { body: { store_reference, store: store as never } },
    callOf({ permissions: [] }),
  );

describe('savePostedStore', () => {
  it('creates the store for a numeric reference', async () => {
    const { body } = await save('0042', { name: 'a', country: 'FRA' });
    expect(body.store).toMatchObject({ reference: 42, external_reference: null, version: 1 });
    expect(world.events.map(({ type }) => type)).toEqual(['store.created']);
  });

  it('creates the store for any other text, with a new reference', async () => {
    const { body } = await save('FR/1', { name: 'a', country: 'FRA' });
    expect(body.store).toMatchObject({ reference: 1, external_reference: 'FR/1' });
  });

  it('changes only the given fields', async () => {
    await save(1, { name: 'a', country: 'FRA', city: 'Paris', phone: '1' });
    const { body } = await save(1, { name: 'b', country: 'FRA', phone: '2', city: null });
    expect(body.store).toMatchObject({ name: 'b', city: 'Paris', phone: '2', version: 2 });
    expect(world.events.map(({ type }) => type)).toEqual(['store.created', 'store.updated']);
  });

  it('changes nothing if the same store is posted again', async () => {
    await save(1, { name: 'a', country: 'FRA', properties: { a: 1 } });
    const { body } = await save(1, { name: 'a', country: 'FRA', properties: { a: 1 } });
    expect(body.store.version).toBe(1);
    expect(world.events).toHaveLength(1);
  });

  it('creates a store once if many receipts contain it at the same time', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => save('x', { name: 'a', country: 'FRA' })),
    );
    expect(new Set(answers.map(({ body }) => body.store.id)).size).toBe(1);
  });

  it('rejects an external reference of another store', async () => {
    await save(1, { name: 'a', country: 'FRA', external_reference: 'x' });
    expect(await refusalOf(save(2, { name: 'b', country: 'FRA', external_reference: 'x' }))).toBe(
      '409 store_exists',
    );
  });

  it.each<[string, number | string, object, string]>([
    ['another reference', 5, { reference: 6 }, '/store/reference'],
    ['another reference, by digits', '05', { reference: 6 }, '/store/reference'],
    ['another external reference', 'x', { external_reference: 'y' }, '/store/external_reference'],
  ])('rejects a store whose references contradict each other: %s', async (_what, reference, names, path) => {
    for (const exists of [false, true]) {
      if (exists) await save(reference, { name: 'a', country: 'FRA' });
      await expect(save(reference, { name: 'b', country: 'FRA', ...names })).rejects.toMatchObject({
        status: 422,
        errors: [{ path }],
      });
    }
  });

  it('accepts both references, and digits that equal the external reference', async () => {
    const names = { name: 'a', country: 'FRA', reference: 7, external_reference: '0042' };
    expect((await save('0042', names)).body.store).toMatchObject({
      reference: 7,
      external_reference: '0042',
    });
    expect((await save('0042', { ...names, name: 'b' })).body.store).toMatchObject({
      reference: 7,
      name: 'b',
    });
    // A number is never an external reference.
    const numbered = await save(42, { name: 'c', country: 'FRA' });
    expect(numbered.body.store).toMatchObject({ reference: 42, external_reference: null });
  });
});

describe('findStore and listStoreRecords', () => {
  it('return complete records to services', async () => {
    await save(1, { name: 'a', country: 'FRA' });
    const found = await world.ask('findStore', { body: { reference: '01' } });
    expect(found.body.store).toMatchObject({ retailer: 'demo', reference: 1, version: 1 });
    expect((await world.ask('findStore', { body: { reference: '2' } })).body.store).toBeNull();
  });

  it('iterate over the stores of every retailer', async () => {
    for (const retailer of ['one', 'two', 'three']) {
      for (const name of ['a', 'b']) {
        await world.ask('createStore', { body: { name, country: 'FRA' } }, callOf({ retailer }));
      }
    }
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const body = { count: 4, ...(after !== undefined && { after }) };
      const page = await world.ask('listStoreRecords', { body });
      seen.push(...page.body.stores.map(({ retailer, name }) => `${retailer} ${name}`));
      after = page.body.next ?? undefined;
    } while (after !== undefined);
    expect(seen.sort()).toEqual(['one a', 'one b', 'three a', 'three b', 'two a', 'two b']);
  });
});
