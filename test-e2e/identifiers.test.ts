import { until } from '@receipts/testing';
import type { Client, TestRetailer } from './harness/client';
import type { HttpResponse } from './harness/http';
import { aReceipt, uniqueId } from './harness/receipts';
import { anonymous, aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;
let other: TestRetailer;

beforeAll(async () => {
  [retailer, other] = await Promise.all([aRetailer(), aRetailer()]);
});

const anIdentifier = () => uniqueId('c');
const create = (body: unknown, headers?: Record<string, string>) =>
  retailer.api.post('/identifiers', body, headers);
const get = (identifier: string, by: Client = retailer.api) =>
  by.get(`/identifiers/${encodeURIComponent(identifier)}`);
const expectError = (answer: HttpResponse, status: number, code: string) =>
  expect([answer.status, answer.body.code]).toEqual([status, code]);
const post = async (overrides: Record<string, unknown>) => {
  const answer = await retailer.api.post('/receipts', aReceipt(overrides));
  expect(answer.status).toBe(201);
  return answer.body.id as string;
};
/** Summaries are updated asynchronously. */
const summarised = (identifier: string, receipts: number) =>
  until(`a summary of ${receipts} receipts`, async () => {
    const { status, body } = await get(identifier);
    return status === 200 && (body.summary.receipts ?? 0) === receipts && body.summary;
  });

const properties = {
  address: ['1, High Street', 'Upper floor'],
  birthdate: '1980-02-29',
  city: 'London',
  email: 'joe.smith@example.com',
  gender: 'male',
  name: { title: 'Mr', first: 'Joe', middle: 'B', last: 'Smith' },
  'opt-out': ['receipts'],
  phone: '+44 20 7946 0000',
  postcode: 'N1 9GU',
  house_number: '1',
};

describe('an identifier that begins with "_", such as the name of a route', () => {
  const identifier = '_search';
  const json = { 'content-type': 'application/json' };
  const patchDocument = (op: string) => [{ op, path: '/identifier', value: identifier }];

  it.each<[string, () => Promise<HttpResponse>, string]>([
    ['POST /identifiers', () => create({ identifier }), '/identifier'],
    ['POST /receipts', () => retailer.api.post('/receipts', aReceipt({ identifier })), '/identifier'],
    [
      'POST /receipts/_assign',
      async () => retailer.api.post('/receipts/_assign', { id: await post({}), identifier }),
      '/identifier',
    ],
    [
      'PATCH /receipts/{id}',
      async () => retailer.api.patch(`/receipts/${await post({})}`, patchDocument('add')),
      '/identifier',
    ],
    [
      'PATCH /receipts/{id}, deprecated',
      async () => retailer.api.patch(`/receipts/${await post({})}`, { identifier }, json),
      '/identifier',
    ],
    [
      'POST /pos/receipts, in a header',
      () => retailer.api.post('/pos/receipts', 'raw', { ...json, 'service-identifier': identifier }),
      '/service-identifier',
    ],
    [
      'POST /pos/receipts, in the query string',
      () => retailer.api.post(`/pos/receipts?identifier=${identifier}`, 'raw', json),
      '/identifier',
    ],
  ])('is rejected by %s', async (_route, send, path) => {
    const answer = await send();
    expectError(answer, 422, 'schema_validation_failed');
    expect(answer.body.errors).toEqual([
      { path, code: 'invalid_format', message: 'must not begin with "_"' },
    ]);
  });

  it('is rejected in a batch', async () => {
    const receipts = [aReceipt({ identifier })];
    const { body } = await retailer.api.post('/receipts/_batch', { receipts });
    expect(body.results).toMatchObject([{ status: 422, code: 'schema_validation_failed' }]);
  });
});

describe('POST /identifiers', () => {
  it('returns 201 with a Location and the identifier', async () => {
    const identifier = anIdentifier();
    const source = '2026-01-31T23:30:00+01:00';
    const answer = await create({ identifier, source_updated_timestamp: source, properties });
    expect(answer.status).toBe(201);
    expect(answer.headers.location).toBe(`/identifiers/${identifier}`);
    const stamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\+00:00$/) as string;
    expect(answer.body).toEqual({
      identifier,
      created_timestamp: stamp,
      updated_timestamp: stamp,
      source_updated_timestamp: '2026-01-31T22:30:00.000+00:00',
      summary: {},
      properties,
    });
    const read = await get(identifier);
    expect([read.status, read.body]).toEqual([200, answer.body]);
    expect(read.headers.etag).toBe(answer.headers.etag);
  });

  it('requires only the identifier', async () => {
    const answer = await create({ identifier: anIdentifier() });
    expect(answer.body).toMatchObject({ properties: {}, source_updated_timestamp: null, summary: {} });
  });

  it.each(['a/b', 'jane doe@example.com', '50%', 'é ü', 'a?b=c#d', '+33 6', '日本'])(
    'percent-encodes the identifier "%s" in paths',
    async (text) => {
      const identifier = `${text} ${anIdentifier()}`;
      const answer = await create({ identifier });
      expect(answer.headers.location).toBe(`/identifiers/${encodeURIComponent(identifier)}`);
      const read = await retailer.api.get(String(answer.headers.location));
      expect([read.status, read.body.identifier]).toEqual([200, identifier]);
    },
  );

  it('keeps custom properties with any key', async () => {
    const free = '{"a.b":1,"$c":{"":null},"__proto__":{"x":1},"list":[1,"2",[]]}';
    const identifier = anIdentifier();
    const json = { 'content-type': 'application/json' };
    const answer = await create(`{"identifier":"${identifier}","properties":${free}}`, json);
    expect(answer.status).toBe(201);
    expect((await get(identifier)).bytes.toString()).toContain(`"properties":${free}`);
  });

  it.each<[string, unknown, string]>([
    ['no identifier', { identifier: undefined }, '/identifier'],
    ['an empty identifier', { identifier: '' }, '/identifier'],
    ['an identifier of 256 characters', { identifier: 'i'.repeat(256) }, '/identifier'],
    ['an identifier with an incomplete character', { identifier: 'i\ud800' }, '/identifier'],
    ['an identifier that is a number', { identifier: 990_000_000_001 }, '/identifier'],
    ['properties that are a list', { properties: [] }, '/properties'],
    ['an address that is a string', { properties: { address: 'x' } }, '/properties/address'],
    ['an invalid birthdate', { properties: { birthdate: '1981-02-29' } }, '/properties/birthdate'],
    ['a city that is a number', { properties: { city: 1 } }, '/properties/city'],
    ['an email that is a list', { properties: { email: ['a@b.example'] } }, '/properties/email'],
    ['a name that is a string', { properties: { name: 'Joe' } }, '/properties/name'],
    ['a first name that is a number', { properties: { name: { first: 1 } } }, '/properties/name'],
    ['opt-out that is a string', { properties: { 'opt-out': 'receipts' } }, '/properties/opt-out'],
    [
      'a source timestamp without an offset',
      { source_updated_timestamp: '2026-01-01T00:00:00' },
      '/source_updated_timestamp',
    ],
    ['an unknown field', { colour: 'red' }, '/colour'],
    ['a summary', { summary: {} }, '/summary'],
  ])('returns 422 for %s', async (_what, overrides, path) => {
    const answer = await create({ identifier: anIdentifier(), ...(overrides as object) });
    expectError(answer, 422, 'schema_validation_failed');
    expect(answer.body.errors.map((fault: { path: string }) => fault.path)).toEqual([path]);
  });

  it('accepts null as a birthdate, and identifiers of 1 and 255 characters', async () => {
    expect((await create({ identifier: 'i', properties: { birthdate: null } })).status).toBe(201);
    expect((await create({ identifier: 'i'.repeat(255) })).status).toBe(201);
  });

  it("returns 409 identifier_exists for an existing identifier, but not for another retailer's", async () => {
    const identifier = anIdentifier();
    expect((await create({ identifier })).status).toBe(201);
    expectError(await create({ identifier, properties }), 409, 'identifier_exists');
    expect((await other.api.post('/identifiers', { identifier })).status).toBe(201);
  });

  it('creates an identifier for exactly one of many concurrent requests', async () => {
    const identifier = anIdentifier();
    const answers = await Promise.all(Array.from({ length: 6 }, () => create({ identifier })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  });

  it('repeats the original response for a retry with the same Idempotency-Key', async () => {
    const key = { 'idempotency-key': uniqueId('key') };
    const body = { identifier: anIdentifier() };
    const first = await create(body, key);
    const again = await create(body, key);
    expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([
      201,
      first.body,
      'true',
    ]);
    expectError(await create({ identifier: anIdentifier() }, key), 409, 'idempotency_mismatch');
  });
});

describe('GET /identifiers/{identifier}', () => {
  it("returns 404 identifier_not_found for an unknown identifier and for another retailer's", async () => {
    const theirs = anIdentifier();
    await other.api.post('/identifiers', { identifier: theirs });
    for (const identifier of [theirs, 'nobody']) {
      expectError(await get(identifier), 404, 'identifier_not_found');
    }
  });

  it('distinguishes case and spaces', async () => {
    const identifier = anIdentifier();
    await create({ identifier });
    for (const text of [identifier.toUpperCase(), ` ${identifier}`, `${identifier} `]) {
      expect((await get(text)).status).toBe(404);
    }
  });

  it('soon returns the identifier of a new receipt', async () => {
    const identifier = anIdentifier();
    await post({ identifier, localtime: '2026-03-14T12:30:00+01:00' });
    const body = await until('the identifier', async () => {
      const answer = await get(identifier);
      return answer.status === 200 && answer.body.summary.receipts === 1 && answer.body;
    });
    expect(body).toMatchObject({
      identifier,
      source_updated_timestamp: null,
      properties: {},
      summary: {
        receipts: 1,
        total: 25.48,
        currency: 'EUR',
        first_receipt_timestamp: '2026-03-14T11:30:00+00:00',
        last_receipt_timestamp: '2026-03-14T11:30:00+00:00',
      },
    });
    expectError(await create({ identifier }), 409, 'identifier_exists');
  });

  it('counts every receipt in the summary, regardless of the order of arrival', async () => {
    const identifier = anIdentifier();
    await create({ identifier, properties });
    const months = ['03', '01', '04', '02'];
    for (const [n, month] of months.entries()) {
      await post({ identifier, total: 0.1 * (n + 1), localtime: `2026-${month}-01T10:00:00+00:00` });
    }
    expect(await summarised(identifier, 4)).toEqual({
      receipts: 4,
      total: 1,
      currency: 'EUR',
      first_receipt_timestamp: '2026-01-01T10:00:00+00:00',
      last_receipt_timestamp: '2026-04-01T10:00:00+00:00',
    });
    expect((await get(identifier)).body.properties).toEqual(properties);
  });

  it('omits duplicates from the summary', async () => {
    const identifier = anIdentifier();
    const transaction = uniqueId();
    await post({ identifier, transaction_id: transaction, total: 10 });
    await post({ identifier, transaction_id: transaction, total: 10, duplicate: true });
    await post({ identifier, total: 5 });
    expect(await summarised(identifier, 2)).toMatchObject({ receipts: 2, total: 15 });
  });

  it('moves the total of a receipt that is assigned later or reassigned', async () => {
    const [first, second] = [anIdentifier(), anIdentifier()];
    const id = await post({ total: 30 });
    const assigned = await retailer.api.post('/receipts/_assign', { id, identifier: first });
    expect(assigned.status).toBe(204);
    expect(await summarised(first, 1)).toMatchObject({ total: 30 });
    const patch = [{ op: 'replace', path: '/identifier', value: second }];
    expect((await retailer.api.patch(`/receipts/${id}`, patch)).status).toBe(200);
    expect(await summarised(second, 1)).toMatchObject({ total: 30 });
    expect(await summarised(first, 0)).toEqual({});
  });

  it('gives a consumer’s signature access to that consumer only', async () => {
    const [mine, theirs] = [anIdentifier(), anIdentifier()];
    await Promise.all([create({ identifier: mine }), create({ identifier: theirs })]);
    const consumer = retailer.signed({ consumer: mine });
    expect((await get(mine, consumer)).status).toBe(200);
    expectError(await get(theirs, consumer), 404, 'identifier_not_found');
    const list = await consumer.get('/identifiers');
    expect(list.body.identifiers.map((one: { identifier: string }) => one.identifier)).toEqual([mine]);
    expectError(
      await consumer.post('/identifiers', { identifier: anIdentifier() }),
      403,
      'consumer_mismatch',
    );
  });

  it('can be indented', async () => {
    const identifier = anIdentifier();
    await create({ identifier });
    const pretty = await retailer.api.get(`/identifiers/${identifier}`, { pretty: 'true' });
    expect(pretty.bytes.toString()).toContain('\n  "identifier"');
  });
});

describe('GET /identifiers', () => {
  let owner: TestRetailer;
  const names = ['one', 'two', 'three', 'four', 'five'];
  beforeAll(async () => {
    owner = await aRetailer();
    for (const identifier of names) await owner.api.post('/identifiers', { identifier });
  });

  it('returns complete identifiers, last updated first', async () => {
    const { status, body } = await owner.api.get('/identifiers');
    expect([status, body._links]).toEqual([200, {}]);
    const found = body.identifiers as { identifier: string }[];
    expect(found.map(({ identifier }) => identifier)).toEqual([...names].reverse());
    expect(found[0]).toEqual((await owner.api.get('/identifiers/five')).body);
  });

  it('returns all pages to a client that follows next', async () => {
    const pages: string[][] = [];
    for (let path: string | undefined = '/identifiers?count=2'; path !== undefined;) {
      const answer = await owner.api.get(path);
      expect(answer.status).toBe(200);
      const found = answer.body.identifiers as { identifier: string }[];
      pages.push(found.map(({ identifier }) => identifier));
      path = answer.body._links.next?.href as string | undefined;
    }
    expect(pages).toEqual([['five', 'four'], ['three', 'two'], ['one']]);
  });

  it('returns an empty list for a retailer without identifiers', async () => {
    const empty = await aRetailer();
    expect((await empty.api.get('/identifiers')).body).toEqual({ identifiers: [], _links: {} });
  });

  it('returns 400 for invalid paging', async () => {
    for (const count of ['0', '101', 'x', '']) {
      expectError(await owner.api.get('/identifiers', { count }), 400, 'invalid_parameter');
    }
    for (const older of ['x', '000000000000000000000000', '1-x']) {
      expectError(await owner.api.get('/identifiers', { older }), 400, 'unknown_cursor');
    }
  });

  it('includes the summaries', async () => {
    const identifier = 'with receipts';
    await owner.api.post('/receipts', aReceipt({ identifier, total: 7 }));
    await until('the summary', async () => {
      const { identifiers } = (await owner.api.get('/identifiers', { count: 1 })).body;
      return identifiers[0].identifier === identifier && identifiers[0].summary.total === 7;
    });
  });
});

describe('PATCH /identifiers/{identifier}', () => {
  let identifier: string;
  const address = () => `/identifiers/${encodeURIComponent(identifier)}`;
  const patch = (operations: unknown, headers?: Record<string, string>, by: Client = retailer.api) =>
    by.patch(address(), operations, headers);
  const amend = (body: unknown) => retailer.api.call(address(), { method: 'PATCH', body });
  const now = async () => (await get(identifier)).body;

  beforeEach(async () => {
    identifier = anIdentifier();
    await create({ identifier, properties });
  });

  it('adds and removes below /properties, and returns 204 without a body', async () => {
    const answer = await patch([
      { op: 'remove', path: '/properties/opt-out/0' },
      { op: 'add', path: '/properties/opt-out/-', value: 'news' },
      { op: 'replace', path: '/properties/name/first', value: 'Joseph' },
      { op: 'add', path: '/properties/loyalty level', value: { 'a/b': 1 } },
      { op: 'remove', path: '/properties/phone' },
    ]);
    expect([answer.status, answer.bytes.length]).toEqual([204, 0]);
    const { phone: _phone, ...rest } = properties;
    expect((await now()).properties).toEqual({
      ...rest,
      'opt-out': ['news'],
      name: { ...properties.name, first: 'Joseph' },
      'loyalty level': { 'a/b': 1 },
    });
  });

  it('removes the whole opt-out property, and all properties', async () => {
    await patch([{ op: 'remove', path: '/properties/opt-out' }]);
    expect((await now()).properties).not.toHaveProperty('opt-out');
    await patch([{ op: 'replace', path: '/properties', value: { city: 'Rome' } }]);
    expect((await now()).properties).toEqual({ city: 'Rome' });
    await patch([{ op: 'remove', path: '/properties' }]);
    expect((await now()).properties).toEqual({});
  });

  it('changes updated_timestamp and the entity tag, but not created_timestamp', async () => {
    const before = await get(identifier);
    const answer = await patch([{ op: 'add', path: '/properties/city', value: 'Rome' }]);
    const after = await get(identifier);
    expect(answer.headers.etag).toBe(after.headers.etag);
    expect(after.headers.etag).not.toBe(before.headers.etag);
    expect(after.body.created_timestamp).toBe(before.body.created_timestamp);
    expect(Date.parse(after.body.updated_timestamp)).toBeGreaterThan(
      Date.parse(before.body.updated_timestamp),
    );
    const none = await patch([]);
    expect([none.status, none.headers.etag]).toEqual([204, after.headers.etag]);
    expect((await now()).updated_timestamp).toBe(after.body.updated_timestamp);
  });

  it('returns 412 for another version in If-Match, and accepts the current version and *', async () => {
    const { etag = '' } = (await get(identifier)).headers;
    const change = (city: string) => [{ op: 'add', path: '/properties/city', value: city }];
    expectError(await patch(change('Rome'), { 'if-match': '"99"' }), 412, 'precondition_failed');
    expect((await patch(change('Rome'), { 'if-match': etag })).status).toBe(204);
    expectError(await patch(change('Bonn'), { 'if-match': etag }), 412, 'precondition_failed');
    expect((await patch(change('Bonn'), { 'if-match': '*' })).status).toBe(204);
  });

  it.each<[string, unknown, number, string]>([
    ['a body that is not a list', { op: 'add' }, 400, 'malformed_patch'],
    ['an unknown operation', [{ op: 'set', path: '/properties/city' }], 400, 'malformed_patch'],
    ['a missing value', [{ op: 'add', path: '/properties/city' }], 400, 'malformed_patch'],
    ['an invalid pointer', [{ op: 'remove', path: 'properties/city' }], 400, 'malformed_patch'],
    [
      '101 operations',
      Array.from({ length: 101 }, () => ({ op: 'test', path: '/properties/city', value: 'London' })),
      400,
      'malformed_patch',
    ],
    ['the identifier', [{ op: 'replace', path: '/identifier', value: 'x' }], 422, 'field_not_modifiable'],
    ['the summary', [{ op: 'add', path: '/summary/total', value: 1 }], 422, 'field_not_modifiable'],
    ['a time', [{ op: 'remove', path: '/created_timestamp' }], 422, 'field_not_modifiable'],
    ['a new field', [{ op: 'add', path: '/colour', value: 'red' }], 422, 'field_not_modifiable'],
    ['the whole receipt', [{ op: 'replace', path: '', value: {} }], 422, 'field_not_modifiable'],
    [
      'a move from outside /properties',
      [{ op: 'move', from: '/identifier', path: '/properties/x' }],
      422,
      'field_not_modifiable',
    ],
    ['a missing target', [{ op: 'remove', path: '/properties/none' }], 422, 'patch_not_applicable'],
    [
      'an index with a leading zero',
      [{ op: 'remove', path: '/properties/address/00' }],
      422,
      'patch_not_applicable',
    ],
    ['"-" as a source', [{ op: 'remove', path: '/properties/address/-' }], 422, 'patch_not_applicable'],
    ['a failed test', [{ op: 'test', path: '/properties/city', value: 'Bonn' }], 409, 'patch_test_failed'],
    [
      'an invalid email',
      [{ op: 'add', path: '/properties/email', value: 7 }],
      422,
      'schema_validation_failed',
    ],
    [
      'properties that are a list',
      [{ op: 'add', path: '/properties', value: [] }],
      422,
      'schema_validation_failed',
    ],
  ])('rejects %s and changes nothing', async (_what, operations, status, code) => {
    const before = (await get(identifier)).body;
    const first = { op: 'add', path: '/properties/city', value: 'Rome' };
    expectError(await patch(operations), status, code);
    if (Array.isArray(operations)) {
      // A patch must have at most a hundred operations; more operations would cause a different error.
      const both = [first, ...(operations as unknown[])].slice(0, 101);
      expectError(await patch(both), status, code);
    }
    expect((await get(identifier)).body).toEqual(before);
  });

  it('allows test and copy to read all members', async () => {
    const answer = await patch([
      { op: 'test', path: '/identifier', value: identifier },
      { op: 'test', path: '/summary', value: {} },
      { op: 'copy', from: '/created_timestamp', path: '/properties/since' },
    ]);
    expect(answer.status).toBe(204);
    const { created_timestamp, properties: after } = await now();
    expect(after.since).toBe(created_timestamp);
  });

  it('returns 415 with the accepted media types for another type', async () => {
    for (const type of ['text/plain', 'application/merge-patch+json']) {
      const answer = await patch([], { 'content-type': type });
      expectError(answer, 415, 'unsupported_media_type');
      expect(answer.headers['accept-patch']).toBe('application/json-patch+json, application/json');
    }
    expectError(await patch('[', { 'content-type': 'application/json-patch+json' }), 400, 'malformed_patch');
  });

  it("returns 404 for an unknown identifier and for another retailer's", async () => {
    expectError(await patch([], undefined, other.api), 404, 'identifier_not_found');
    identifier = 'nobody';
    expectError(await patch([]), 404, 'identifier_not_found');
    expectError(await amend({ properties: { city: 'Rome' } }), 404, 'identifier_not_found');
  });

  it('does not let one consumer’s signature change another consumer', async () => {
    const city = [{ op: 'add', path: '/properties/city', value: 'Rome' }];
    const theirs = retailer.signed({ consumer: anIdentifier() });
    expectError(await patch(city, undefined, theirs), 404, 'identifier_not_found');
    expect((await patch(city, undefined, retailer.signed({ consumer: identifier }))).status).toBe(204);
  });

  describe('with the deprecated body', () => {
    const tags = async () => (await now()).properties['opt-out'];

    it('sets members, returns 204 and keeps the other members', async () => {
      const answer = await amend({ properties: { email: 'new@example.com', name: { last: 'Miller' } } });
      expect([answer.status, answer.bytes.length]).toEqual([204, 0]);
      expect((await now()).properties).toEqual({
        ...properties,
        email: 'new@example.com',
        name: { last: 'Miller' },
      });
    });

    it('replaces the opt-outs with opt-out, adds to them with opt-out+= and removes from them with opt-out-=', async () => {
      await amend({ properties: { 'opt-out+=': ['news', 'receipts'] } });
      expect(await tags()).toEqual(['receipts', 'news']);
      await amend({ properties: { 'opt-out-=': ['receipts', 'none'] } });
      expect(await tags()).toEqual(['news']);
      await amend({ properties: { 'opt-out': ['sms', 'mail'] } });
      expect(await tags()).toEqual(['sms', 'mail']);
      await amend({ properties: { 'opt-out+=': ['news'], 'opt-out-=': ['sms'], city: 'Rome' } });
      expect(await tags()).toEqual(['mail', 'news']);
      expect((await now()).properties).not.toHaveProperty('opt-out+=');
    });

    it.each<[string, unknown, string]>([
      ['missing properties', {}, '/properties'],
      ['properties that are a string', { properties: 'x' }, '/properties'],
      ['an unknown member', { properties: {}, identifier: 'x' }, '/identifier'],
      ['setting and adding', { properties: { 'opt-out': [], 'opt-out+=': ['a'] } }, '/properties/opt-out+='],
      [
        'setting and removing',
        { properties: { 'opt-out': [], 'opt-out-=': ['a'] } },
        '/properties/opt-out-=',
      ],
      [
        'adding and removing the same',
        { properties: { 'opt-out+=': ['a'], 'opt-out-=': ['a'] } },
        '/properties/opt-out-=',
      ],
      ['tags that are a string', { properties: { 'opt-out+=': 'a' } }, '/properties/opt-out+='],
      ['a city that is a number', { properties: { city: 1 } }, '/properties/city'],
    ])('returns 422 for %s', async (_what, body, path) => {
      const answer = await amend(body);
      expectError(answer, 422, 'schema_validation_failed');
      expect(answer.body.errors.map((fault: { path: string }) => fault.path)).toEqual([path]);
    });
  });
});

describe('permissions', () => {
  it.each<[string, (client: Client) => Promise<HttpResponse>]>([
    ['view.get_identifier', (client) => client.get('/identifiers')],
    ['view.get_identifier', (client) => client.get('/identifiers/nobody')],
    ['view.post_identifier', (client) => client.post('/identifiers', { identifier: anIdentifier() })],
    ['view.patch_identifier', (client) => client.patch('/identifiers/nobody', [])],
  ])('requires %s', async (permission, call) => {
    const every = ['view.get_identifier', 'view.post_identifier', 'view.patch_identifier'];
    const without = await retailer.clientWith({ permissions: every.filter((name) => name !== permission) });
    expectError(await call(without), 403, 'permission_denied');
    const holder = await retailer.clientWith({ permissions: [permission] });
    expect([200, 201, 404]).toContain((await call(holder)).status);
    expectError(await call(await anonymous()), 401, 'unauthorized');
  });
});
