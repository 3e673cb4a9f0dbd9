import type { TestRetailer } from './harness/client';
import type { HttpResponse } from './harness/http';
import { uniqueId } from './harness/receipts';
import { anonymous, aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;
let other: TestRetailer;

beforeAll(async () => {
  [retailer, other] = await Promise.all([aRetailer(), aRetailer()]);
});

const aStore = (overrides: Record<string, unknown> = {}) => ({
  name: 'A store',
  country: 'FRA',
  ...overrides,
});
const create = (overrides: Record<string, unknown> = {}) => retailer.api.post('/stores', aStore(overrides));
const read = (reference: string | number) =>
  retailer.api.get(`/stores/${encodeURIComponent(String(reference))}`);

async function created(overrides: Record<string, unknown> = {}): Promise<number> {
  const answer = await create(overrides);
  expect(answer.status).toBe(201);
  return answer.body.reference as number;
}

const complete = {
  name: 'Rue de Rivoli',
  address: ['12, rue de Rivoli', '2e étage'],
  city: 'Paris',
  postcode: '75004',
  country: 'FRA',
  vatno: 'FR40303265045',
  company: 'Lumière Opéra SAS',
  phone: '+33 1 40 20 50 50',
  locale: 'fr_FR',
  timezone: 'Europe/Paris',
  currency: 'EUR',
  properties: { size: 'large', nested: [{ a: null }] },
  settings: { printer: true },
};

describe('POST /stores', () => {
  it('returns 201 with a Location and the reference', async () => {
    const answer = await create({ reference: 4711 });
    expect([answer.status, answer.body]).toEqual([201, { reference: 4711 }]);
    expect(answer.headers.location).toBe('/stores/4711');
    expect((await retailer.api.get(String(answer.headers.location))).status).toBe(200);
  });

  it('stores every field as posted', async () => {
    const external = uniqueId('external');
    const reference = await created({ ...complete, external_reference: external });
    const { body } = await read(reference);
    expect(body).toEqual({
      ...complete,
      id: expect.any(Number) as number,
      reference,
      external_reference: external,
      updated_timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\+00:00$/) as string,
    });
  });

  it('requires only name and country, and returns missing fields as null, [] or {}', async () => {
    const { body } = await read(await created());
    expect(body).toMatchObject({
      name: 'A store',
      country: 'FRA',
      external_reference: null,
      address: [],
      city: null,
      postcode: null,
      phone: null,
      vatno: null,
      company: null,
      locale: null,
      timezone: null,
      currency: null,
      properties: {},
      settings: {},
    });
  });

  it('assigns a missing reference, but never one that is already used', async () => {
    const given = await created({ reference: 90_000 });
    const allotted = await Promise.all(Array.from({ length: 8 }, () => created()));
    expect(new Set([given, ...allotted]).size).toBe(9);
    expect(allotted.every((reference) => Number.isInteger(reference) && reference >= 1)).toBe(true);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['name missing', { name: undefined }, '/name'],
    ['name empty', { name: '' }, '/name'],
    ['name of 101 characters', { name: 'n'.repeat(101) }, '/name'],
    ['name that is a number', { name: 7 }, '/name'],
    ['country missing', { country: undefined }, '/country'],
    ['country of two letters', { country: 'FR' }, '/country'],
    ['country in lower case', { country: 'fra' }, '/country'],
    ['country that does not exist', { country: 'XXQ' }, '/country'],
    ['reference 0', { reference: 0 }, '/reference'],
    ['reference negative', { reference: -1 }, '/reference'],
    ['fractional reference', { reference: 1.5 }, '/reference'],
    ['reference that is a string', { reference: '12' }, '/reference'],
    ['reference beyond the range of integers', { reference: 1e300 }, '/reference'],
    ['external reference empty', { external_reference: '' }, '/external_reference'],
    ['external reference of 256 characters', { external_reference: 'e'.repeat(256) }, '/external_reference'],
    [
      'external reference with an incomplete character',
      { external_reference: 'e\ud800' },
      '/external_reference',
    ],
    ['external reference that is a number', { external_reference: 5 }, '/external_reference'],
    ['address that is a string', { address: '1, High Street' }, '/address'],
    ['address of numbers', { address: [1] }, '/address/0'],
    ['city empty', { city: '' }, '/city'],
    ['city of 61 characters', { city: 'c'.repeat(61) }, '/city'],
    ['postcode empty', { postcode: '' }, '/postcode'],
    ['postcode of 11 characters', { postcode: '1'.repeat(11) }, '/postcode'],
    ['postcode that is a number', { postcode: 75_004 }, '/postcode'],
    ['phone empty', { phone: '' }, '/phone'],
    ['phone of 21 characters', { phone: '1'.repeat(21) }, '/phone'],
    ['locale that is a number', { locale: 1 }, '/locale'],
    ['locale with spaces', { locale: 'en GB' }, '/locale'],
    ['timezone unknown', { timezone: 'Europe/Nowhere' }, '/timezone'],
    ['timezone that is an offset', { timezone: '+02:00' }, '/timezone'],
    ['currency unknown', { currency: 'EUX' }, '/currency'],
    ['currency in lower case', { currency: 'eur' }, '/currency'],
    ['an unknown field', { colour: 'red' }, '/colour'],
    ['an id', { id: 5 }, '/id'],
    ['a timestamp', { updated_timestamp: '2026-01-01T00:00:00+00:00' }, '/updated_timestamp'],
  ])('returns 422 and names the field for %s', async (_what, overrides, path) => {
    const answer = await create(overrides);
    expect([answer.status, answer.body.code]).toEqual([422, 'schema_validation_failed']);
    expect(answer.body.errors.map((fault: { path: string }) => fault.path)).toEqual([path]);
  });

  it('reports every error at once', async () => {
    const answer = await create({ name: '', country: 'XX', phone: '', colour: 1 });
    const paths = answer.body.errors.map((fault: { path: string }) => fault.path).sort();
    expect(paths).toEqual(['/colour', '/country', '/name', '/phone']);
  });

  it.each<[string, Record<string, unknown>]>([
    ['the shortest texts', { name: 'n', city: 'c', postcode: '1', phone: '1' }],
    [
      'the longest texts',
      { name: 'n'.repeat(100), city: 'c'.repeat(60), postcode: '1'.repeat(10), phone: '1'.repeat(20) },
    ],
    ['a country of ISO 3166-3', { country: 'YUG' }],
    ['another country of ISO 3166-3', { country: 'DDR' }],
    ['a link of time zones', { timezone: 'Asia/Calcutta' }],
    ['UTC', { timezone: 'UTC' }],
    ['a locale of a language only', { locale: 'de' }],
    ['no address lines', { address: [] }],
    ['properties that are a list', { properties: [1, 'a', null] }],
    ['properties that are a string', { properties: 'text', settings: 5 }],
    ['keys that databases do not support', { properties: { 'a.b': 1, $c: 2, '': 3 } }],
  ])('accepts and stores %s', async (_what, overrides) => {
    const { body } = await read(await created(overrides));
    expect(body).toMatchObject(overrides);
  });

  it('accepts external references of 1 and 255 characters', async () => {
    for (const external of ['x', 'y'.repeat(255)]) {
      await created({ external_reference: external });
      expect((await read(external)).body.external_reference).toBe(external);
    }
  });

  it('returns 409 store_exists for a reference or external reference that is already used', async () => {
    const external = uniqueId('taken');
    const reference = await created({ external_reference: external });
    for (const overrides of [{ reference }, { external_reference: external }]) {
      const answer = await create(overrides);
      expect([answer.status, answer.body.code, answer.body.status]).toEqual([
        409,
        'store_exists',
        'conflict',
      ]);
    }
    // References are unique per retailer only.
    const elsewhere = await other.api.post('/stores', aStore({ reference, external_reference: external }));
    expect(elsewhere.status).toBe(201);
  });

  it('assigns the reference to exactly one of many concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => create({ reference: 123_456 })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  });

  it('returns 400 for a body that is not JSON, and 415 for another media type', async () => {
    const json = { 'content-type': 'application/json' };
    const malformed = await retailer.api.post('/stores', '{"name":', json);
    expect([malformed.status, malformed.body.code]).toEqual([400, 'malformed_body']);
    const text = await retailer.api.post('/stores', '{}', { 'content-type': 'text/plain' });
    expect([text.status, text.body.code]).toEqual([415, 'unsupported_media_type']);
    for (const body of ['[]', 'null', '"x"', '1']) {
      expect((await retailer.api.post('/stores', body, json)).status).toBe(422);
    }
  });

  it('repeats the original response for a retry with the same Idempotency-Key', async () => {
    const key = { 'idempotency-key': uniqueId('key') };
    const first = await retailer.api.post('/stores', aStore(), key);
    const again = await retailer.api.post('/stores', aStore(), key);
    expect([again.status, again.body, again.headers.location]).toEqual([
      201,
      first.body,
      first.headers.location,
    ]);
    expect(again.headers['idempotent-replayed']).toBe('true');
    const another = await retailer.api.post('/stores', aStore({ name: 'Other' }), key);
    expect([another.status, another.body.code]).toEqual([409, 'idempotency_mismatch']);
  });
});

describe('GET /stores/{reference}', () => {
  it('finds a store by its reference, with or without leading zeros', async () => {
    await created({ reference: 42 });
    for (const text of ['42', '0042']) expect((await read(text)).body.reference).toBe(42);
  });

  it.each(['a/b', 'a b', '50%', 'é ü', 'a?b=c#d', '..', 'x+y', '日本'])(
    'finds a store by the percent-encoded external reference "%s"',
    async (external) => {
      const reference = await created({ external_reference: external });
      const answer = await read(external);
      expect([answer.status, answer.body.reference]).toEqual([200, reference]);
    },
  );

  it('prefers an external reference of digits to a reference', async () => {
    await created({ reference: 5150 });
    const named = await created({ external_reference: '5150' });
    expect((await read('5150')).body.reference).toBe(named);
    expect((await read('05150')).body.reference).toBe(5150);
  });

  it("returns 404 for an unknown store and for another retailer's", async () => {
    await other.api.post('/stores', aStore({ reference: 777_777, external_reference: 'theirs' }));
    for (const reference of ['777777', 'theirs', '0', '99999999999999999999', 'nothing']) {
      const answer = await read(reference);
      expect([answer.status, answer.body.code, answer.body.status]).toEqual([404, 'not_found', 'not found']);
    }
  });

  it('has an ETag and can be indented', async () => {
    const reference = await created();
    expect((await read(reference)).headers.etag).toMatch(/^"[^"]+"$/);
    const pretty = await retailer.api.get(`/stores/${reference}`, { pretty: 'true' });
    expect(pretty.bytes.toString()).toContain('\n  "name": "A store"');
  });
});

describe('PATCH /stores/{reference}', () => {
  const patch = (reference: number | string, operations: unknown, headers?: Record<string, string>) =>
    retailer.api.patch(`/stores/${encodeURIComponent(String(reference))}`, operations, headers);

  it('replaces /phone, /address/0 and /properties, and returns the whole store', async () => {
    const reference = await created(complete);
    const before = (await read(reference)).body;
    const answer = await patch(reference, [
      { op: 'replace', path: '/phone', value: '+33 1 00 00 00 00' },
      { op: 'replace', path: '/address/0', value: '13, rue de Rivoli' },
      { op: 'replace', path: '/properties', value: { size: 'small' } },
    ]);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      ...before,
      phone: '+33 1 00 00 00 00',
      address: ['13, rue de Rivoli', '2e étage'],
      properties: { size: 'small' },
      updated_timestamp: expect.any(String) as string,
    });
    expect(answer.body.updated_timestamp >= before.updated_timestamp).toBe(true);
    expect((await read(reference)).body).toEqual(answer.body);
  });

  it('supports all six operations', async () => {
    const reference = await created(complete);
    const answer = await patch(reference, [
      { op: 'test', path: '/city', value: 'Paris' },
      { op: 'add', path: '/address/-', value: 'third line' },
      { op: 'add', path: '/properties/a~1b', value: 1 },
      { op: 'copy', from: '/name', path: '/properties/was' },
      { op: 'move', from: '/properties/size', path: '/properties/format' },
      { op: 'remove', path: '/phone' },
      { op: 'replace', path: '/name', value: 'New' },
    ]);
    expect(answer.body).toMatchObject({
      name: 'New',
      phone: null,
      address: ['12, rue de Rivoli', '2e étage', 'third line'],
      properties: { 'a/b': 1, was: 'Rue de Rivoli', format: 'large', nested: [{ a: null }] },
    });
  });

  it('finds a store by its external reference, and can change it', async () => {
    const external = `${uniqueId('e')}/x`;
    const reference = await created({ external_reference: external });
    const answer = await patch(external, [
      { op: 'replace', path: '/external_reference', value: `${external}2` },
    ]);
    expect([answer.status, answer.body.reference]).toEqual([200, reference]);
    expect((await read(external)).status).toBe(404);
    expect((await read(`${external}2`)).status).toBe(200);
  });

  it('changes the ETag with the store, and returns 412 for another If-Match', async () => {
    const reference = await created();
    const etag = String((await read(reference)).headers.etag);
    const phone = (value: string) => [{ op: 'add', path: '/phone', value }];
    const first = await patch(reference, phone('1'), { 'if-match': etag });
    expect(first.status).toBe(200);
    expect(first.headers.etag).not.toBe(etag);
    expect((await read(reference)).headers.etag).toBe(first.headers.etag);
    const late = await patch(reference, phone('2'), { 'if-match': etag });
    expect([late.status, late.body.status]).toEqual([412, 'precondition failed']);
    expect((await read(reference)).body.phone).toBe('1');
    const any = await patch(reference, phone('3'), { 'if-match': '*' });
    expect([any.status, any.body.phone]).toEqual([200, '3']);
  });

  it('changes nothing for []', async () => {
    const reference = await created();
    const before = await read(reference);
    const answer = await patch(reference, []);
    expect([answer.status, answer.body]).toEqual([200, before.body]);
    expect(answer.headers.etag).toBe(before.headers.etag);
  });

  it('applies all operations or none', async () => {
    const reference = await created({ phone: '1' });
    const answer = await patch(reference, [
      { op: 'replace', path: '/phone', value: '2' },
      { op: 'test', path: '/city', value: 'Berlin' },
    ]);
    expect([answer.status, answer.body.code]).toEqual([409, 'patch_test_failed']);
    expect((await read(reference)).body.phone).toBe('1');
  });

  it.each<[string, unknown]>([
    ['an object', { phone: '1' }],
    ['null', null],
    ['an unknown operation', [{ op: 'increment', path: '/phone', value: 1 }]],
    ['a missing path', [{ op: 'remove' }]],
    ['a path without a slash', [{ op: 'remove', path: 'phone' }]],
    ['a missing value', [{ op: 'add', path: '/phone' }]],
    ['a missing from', [{ op: 'move', path: '/phone' }]],
    ['an operation that is a string', ['remove']],
    ['101 operations', Array.from({ length: 101 }, () => ({ op: 'test', path: '/name', value: 'A store' }))],
  ])('returns 400 malformed_patch for %s', async (_what, operations) => {
    const answer = await patch(await created(), operations);
    expect([answer.status, answer.body.code]).toEqual([400, 'malformed_patch']);
  });

  it('accepts 100 operations', async () => {
    const operations = Array.from({ length: 100 }, () => ({ op: 'test', path: '/name', value: 'A store' }));
    expect((await patch(await created(), operations)).status).toBe(200);
  });

  it.each<[string, object]>([
    ['removal of a missing member', { op: 'remove', path: '/properties/x' }],
    ['replacement of a missing member', { op: 'replace', path: '/properties/x', value: 1 }],
    ['an index past the end', { op: 'add', path: '/address/5', value: 'x' }],
    ['an index with leading zeros', { op: 'replace', path: '/address/00', value: 'x' }],
    ['"-" instead of an existing element', { op: 'replace', path: '/address/-', value: 'x' }],
    ['a missing parent', { op: 'add', path: '/properties/x/y', value: 1 }],
  ])('returns 422 patch_not_applicable for %s', async (_what, operation) => {
    const answer = await patch(await created({ address: ['a'] }), [operation]);
    expect([answer.status, answer.body.code]).toEqual([422, 'patch_not_applicable']);
  });

  it.each<[string, object, string]>([
    ['a name that is too long', { op: 'replace', path: '/name', value: 'n'.repeat(101) }, '/name'],
    ['a missing name', { op: 'remove', path: '/name' }, '/name'],
    ['a missing reference', { op: 'remove', path: '/reference' }, '/reference'],
    ['a country of two letters', { op: 'replace', path: '/country', value: 'FR' }, '/country'],
    ['an address line that is a number', { op: 'add', path: '/address/0', value: 1 }, '/address/0'],
    ['an unknown field', { op: 'add', path: '/colour', value: 'red' }, '/colour'],
  ])('returns 422 for a result with %s', async (_what, operation, path) => {
    const answer = await patch(await created(), [operation]);
    expect([answer.status, answer.body.code]).toEqual([422, 'schema_validation_failed']);
    expect(answer.body.errors.map((fault: { path: string }) => fault.path)).toEqual([path]);
  });

  it.each(['/id', '/updated_timestamp'])('does not change %s', async (path) => {
    const reference = await created();
    const value = path === '/id' ? 1_000_000 : '2020-01-01T00:00:00+00:00';
    const answer = await patch(reference, [{ op: 'replace', path, value }]);
    expect([answer.status, answer.body.code]).toEqual([422, 'field_not_modifiable']);
    const { body } = await read(reference);
    expect((await patch(reference, [{ op: 'test', path: '/id', value: body.id }])).status).toBe(200);
  });

  it("returns 409 store_exists for another store's reference", async () => {
    const taken = await created({ external_reference: uniqueId('patch-taken') });
    const reference = await created();
    const external = (await read(taken)).body.external_reference as string;
    for (const operation of [
      { op: 'replace', path: '/reference', value: taken },
      { op: 'replace', path: '/external_reference', value: external },
    ]) {
      const answer = await patch(reference, [operation]);
      expect([answer.status, answer.body.code]).toEqual([409, 'store_exists']);
    }
  });

  it('requires a JSON Patch, and returns 415 with Accept-Patch for other media types', async () => {
    const reference = await created();
    for (const type of ['application/json', 'text/plain', 'application/merge-patch+json']) {
      const answer = await patch(reference, [], { 'content-type': type });
      expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type']);
      expect(answer.headers['accept-patch']).toContain('application/json-patch+json');
    }
  });

  it("returns 404 for an unknown store and for another retailer's, without changing it", async () => {
    const { reference } = (await other.api.post('/stores', aStore({ reference: 888_888 }))).body;
    const operations = [{ op: 'replace', path: '/name', value: 'Mine now' }];
    for (const unknown of [reference, 999_999, 'nothing']) {
      const answer = await patch(unknown, operations);
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
    }
    expect((await other.api.get(`/stores/${reference}`)).body.name).toBe('A store');
  });

  it('applies all of many concurrent patches', async () => {
    const reference = await created({ properties: {} });
    const keys = Array.from({ length: 12 }, (_, n) => `k${n}`);
    const answers = await Promise.all(
      keys.map((key) => patch(reference, [{ op: 'add', path: `/properties/${key}`, value: 1 }])),
    );
    expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 200));
    expect(Object.keys((await read(reference)).body.properties).sort()).toEqual([...keys].sort());
  });
});

describe('GET /stores', () => {
  let owner: TestRetailer;
  const references = Array.from({ length: 7 }, (_, n) => n + 1);
  beforeAll(async () => {
    owner = await aRetailer();
    for (const reference of references) await owner.api.post('/stores', aStore({ reference }));
  });
  const page = async (path: string) => {
    const answer = await owner.api.get(path);
    expect(answer.status).toBe(200);
    const { stores, _links } = answer.body as {
      stores: { reference: number }[];
      _links: { next?: { href: string } };
    };
    return { references: stores.map(({ reference }) => reference), next: _links.next?.href };
  };

  it('returns all stores of the retailer completely, newest first', async () => {
    expect(await page('/stores')).toEqual({ references: [...references].reverse(), next: undefined });
    const [newest] = (await owner.api.get('/stores')).body.stores;
    expect(newest).toEqual((await owner.api.get('/stores/7')).body);
  });

  it('returns an empty list for a retailer without stores', async () => {
    const empty = await aRetailer();
    expect((await empty.api.get('/stores')).body).toEqual({ stores: [], _links: {} });
  });

  it('returns all pages to a client that follows next', async () => {
    const seen: number[][] = [];
    for (let path: string | undefined = '/stores?count=3'; path !== undefined;) {
      const { references: found, next } = await page(path);
      seen.push(found);
      path = next;
    }
    expect(seen).toEqual([[7, 6, 5], [4, 3, 2], [1]]);
  });

  it('returns no next link on a last page that is full', async () => {
    expect((await page('/stores?count=7')).next).toBeUndefined();
  });

  it('returns links without credentials', async () => {
    const answer = await owner.signed().get('/stores', { count: 1 });
    expect(answer.status).toBe(200);
    expect(answer.body._links.next.href).not.toMatch(/key=|expires=|signature=/);
  });

  it.each(['count=0', 'count=101', 'count=x', 'count=', 'count=1.5', 'count=1&count=2', 'older=x'])(
    'returns 400 invalid_parameter for %s',
    async (query) => {
      const answer = await owner.api.get(`/stores?${query}`);
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_parameter']);
    },
  );

  it('returns 400 unknown_cursor for an unknown value of "older"', async () => {
    const answer = await owner.api.get('/stores', { older: 987_654_321 });
    expect([answer.status, answer.body.code]).toEqual([400, 'unknown_cursor']);
  });
});

describe('permissions', () => {
  it.each<[string, string, (client: TestRetailer['api']) => Promise<HttpResponse>]>([
    ['view.get_store', 'list', (client) => client.get('/stores')],
    ['view.get_store', 'get', (client) => client.get('/stores/1')],
    ['view.post_store', 'post', (client) => client.post('/stores', aStore())],
    ['view.patch_store', 'patch', (client) => client.patch('/stores/1', [])],
  ])('requires %s to %s', async (permission, _what, call) => {
    const every = ['view.get_store', 'view.post_store', 'view.patch_store'];
    const without = await retailer.clientWith({ permissions: every.filter((name) => name !== permission) });
    const refused = await call(without);
    expect([refused.status, refused.body.code]).toEqual([403, 'permission_denied']);
    const holder = await retailer.clientWith({ permissions: [permission] });
    expect([200, 201, 404]).toContain((await call(holder)).status);
  });

  it('requires credentials', async () => {
    const nobody = await anonymous();
    for (const answer of [
      await nobody.get('/stores'),
      await nobody.get('/stores/1'),
      await nobody.post('/stores', aStore()),
      await nobody.patch('/stores/1', []),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([401, 'unauthorized']);
    }
  });

  it('does not change a store with a signature that is restricted to a consumer', async () => {
    const reference = await created();
    const consumer = retailer.signed({ consumer: 'jane' });
    expect((await consumer.post('/stores', aStore())).status).toBe(403);
    expect((await consumer.patch(`/stores/${reference}`, [])).status).toBe(403);
  });
});
