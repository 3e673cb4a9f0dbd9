import { adminWorld, callOf, refusalOf, type AdminWorld } from '../../testing/admin-world';

let world: AdminWorld;

beforeAll(async () => {
  world = await adminWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.reset();
  await world.ask('createStore', {
    body: {
      reference: 1,
      external_reference: 'x',
      name: 'a',
      country: 'FRA',
      phone: '1',
      address: ['line 1', 'line 2'],
      properties: { n: 0, list: [1] },
    },
  });
  await world.ask('createStore', { body: { reference: 2, name: 'b', country: 'FRA' } });
  world.events.length = 0;
});

const contentType = 'application/json-patch+json';
const patch = (body: unknown, headers: { 'if-match'?: string } = {}, call = callOf()) =>
  world.ask('patchStore', { params: { reference: '1' }, headers, body, contentType }, call);
const stored = async () => (await world.ask('getStore', { params: { reference: '1' } })).body;

describe('patchStore', () => {
  it('stores the locale in one form', async () => {
    expect((await patch([{ op: 'add', path: '/locale', value: 'DE-at' }])).body.locale).toBe('de_AT');
    expect((await patch([{ op: 'add', path: '/locale', value: 'zh_hant_TW' }])).body.locale).toBe(
      'zh_Hant_TW',
    );
    // It has the form of a tag without being one.
    expect((await patch([{ op: 'add', path: '/locale', value: 'en_1' }])).body.locale).toBe('en_1');
  });

  it('changes the given fields and publishes one event', async () => {
    const created = await stored();
    world.now = new Date('2026-05-18T00:00:00Z');
    const answer = await patch([
      { op: 'replace', path: '/phone', value: '2' },
      { op: 'replace', path: '/address/0', value: 'line 0' },
      { op: 'replace', path: '/properties', value: { q: 1, list: [] } },
    ]);
    expect(answer.body).toEqual({
      ...created,
      phone: '2',
      address: ['line 0', 'line 2'],
      properties: { q: 1, list: [] },
      updated_timestamp: '2026-05-18T00:00:00.000+00:00',
    });
    expect(answer.meta).toEqual({ etag: '"2"' });
    expect(await stored()).toEqual(answer.body);
    expect(world.events).toHaveLength(1);
    expect(world.events[0]).toMatchObject({
      type: 'store.updated',
      sequence: 2,
      data: { phone: '2', version: 2 },
    });
  });

  it('does nothing for an empty patch, or for a patch that changes nothing', async () => {
    const before = await stored();
    expect((await patch([])).meta).toEqual({ etag: '"1"' });
    expect((await patch([{ op: 'replace', path: '/phone', value: '1' }])).body).toEqual(before);
    expect(world.events).toHaveLength(0);
  });

  it('removes a field', async () => {
    const { body } = await patch([
      { op: 'remove', path: '/phone' },
      { op: 'remove', path: '/external_reference' },
      { op: 'remove', path: '/properties' },
      { op: 'remove', path: '/address' },
    ]);
    expect(body).toMatchObject({ phone: null, external_reference: null, properties: {}, address: [] });
    await world.ask('createStore', { body: { external_reference: 'x', name: 'c', country: 'FRA' } });
  });

  it.each<[string, unknown, string]>([
    ['a body that is not a list', { phone: '2' }, '400 malformed_patch'],
    ['an unknown operation', [{ op: 'merge', path: '/phone', value: 1 }], '400 malformed_patch'],
    ['a path that does not exist', [{ op: 'remove', path: '/address/2' }], '422 patch_not_applicable'],
    ['a leading zero', [{ op: 'remove', path: '/address/00' }], '422 patch_not_applicable'],
    ['a failed test', [{ op: 'test', path: '/phone', value: '2' }], '409 patch_test_failed'],
    ['the id', [{ op: 'replace', path: '/id', value: 5 }], '422 field_not_modifiable'],
    ['the time', [{ op: 'remove', path: '/updated_timestamp' }], '422 field_not_modifiable'],
    ['the root', [{ op: 'replace', path: '', value: {} }], '422 field_not_modifiable'],
    [
      'an unknown field',
      [{ op: 'add', path: '/retailer', value: 'x' }],
      '422 schema_validation_failed /retailer',
    ],
    ['a required field', [{ op: 'remove', path: '/name' }], '422 schema_validation_failed /name'],
    ['the reference', [{ op: 'remove', path: '/reference' }], '422 schema_validation_failed /reference'],
    [
      'two bad values',
      [
        { op: 'replace', path: '/country', value: 'XXX' },
        { op: 'replace', path: '/address/1', value: 1 },
      ],
      '422 schema_validation_failed /address/1 /country',
    ],
    ['a prototype', [{ op: 'add', path: '/properties/__proto__/x', value: 1 }], '422 patch_not_applicable'],
    ["another store's reference", [{ op: 'replace', path: '/reference', value: 2 }], '409 store_exists'],
  ])('publishes no event and keeps the store for %s', async (_what, body, refusal) => {
    const before = await stored();
    expect(await refusalOf(patch(body))).toBe(refusal);
    expect(await stored()).toEqual(before);
    expect(world.events).toHaveLength(0);
  });

  it('applies all changes or none', async () => {
    const operations = [
      { op: 'replace', path: '/phone', value: '2' },
      { op: 'remove', path: '/nowhere' },
    ];
    expect(await refusalOf(patch(operations))).toBe('422 patch_not_applicable');
    expect(await stored()).toMatchObject({ phone: '1' });
  });

  it('respects If-Match', async () => {
    const operations = [{ op: 'replace', path: '/phone', value: '2' }];
    expect(await refusalOf(patch(operations, { 'if-match': '"2"' }))).toBe('412 precondition_failed');
    expect((await patch(operations, { 'if-match': '"1"' })).meta).toEqual({ etag: '"2"' });
  });

  it('does not lose concurrent changes', async () => {
    const count = 50;
    const answers = await Promise.all(
      Array.from({ length: count }, (_, n) => patch([{ op: 'add', path: `/properties/k${n}`, value: n }])),
    );
    expect(new Set(answers.map(({ meta }) => meta.etag)).size).toBe(count);
    const { properties } = (await stored()) as { properties: object };
    expect(Object.keys(properties)).toHaveLength(count + 2);
    const sequences = world.events.map(({ sequence }) => sequence).sort((a, b) => a - b);
    expect(sequences).toEqual(Array.from({ length: count }, (_, n) => n + 2));
  });

  it("does not find another retailer's store", async () => {
    const other = callOf({ retailer: 'other' });
    expect(await refusalOf(patch([], {}, other))).toBe('404 not_found');
  });
});
