import type { Client, TestRetailer } from './harness/client';
import type { Answer } from './harness/http';
import { aReceipt, uniqueId } from './harness/receipts';
import { anonymous, aRetailer } from './harness/shared-platform';
import { until } from './harness/wait';

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
const expectError = (answer: Answer, status: number, code: string) =>
  expect([answer.status, answer.body.code]).toEqual([status, code]);
const post = async (overrides: Record<string, unknown>) => {
  const answer = await retailer.api.post('/receipts', aReceipt(overrides));
  expect(answer.status).toBe(201);
  return answer.body.id as string;
};
/** Summaries follow the receipts after a moment. */
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

describe('POST /identifiers', () => {
  it('answers 201 with Location and the identifier', async () => {
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

  it('needs the identifier only', async () => {
    const answer = await create({ identifier: anIdentifier() });
    expect(answer.body).toMatchObject({ properties: {}, source_updated_timestamp: null, summary: {} });
  });

  it.each(['a/b', 'jane doe@example.com', '50%', 'é ü', 'a?b=c#d', '+33 6', '日本'])(
    'the identifier "%s" is percent-encoded in addresses',
    async (text) => {
      const identifier = `${text} ${anIdentifier()}`;
      const answer = await create({ identifier });
      expect(answer.headers.location).toBe(`/identifiers/${encodeURIComponent(identifier)}`);
      const read = await retailer.api.get(String(answer.headers.location));
      expect([read.status, read.body.identifier]).toEqual([200, identifier]);
    },
  );

  it('keeps free properties, whatever their keys', async () => {
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
    ['an identifier of 256', { identifier: 'i'.repeat(256) }, '/identifier'],
    ['an identifier with half a character', { identifier: 'i\ud800' }, '/identifier'],
    ['an identifier that is a number', { identifier: 990_000_000_001 }, '/identifier'],
    ['properties that are a list', { properties: [] }, '/properties'],
    ['an address that is a text', { properties: { address: 'x' } }, '/properties/address'],
    ['a birthdate that is none', { properties: { birthdate: '1981-02-29' } }, '/properties/birthdate'],
    ['a city that is a number', { properties: { city: 1 } }, '/properties/city'],
    ['an email that is a list', { properties: { email: ['a@b.example'] } }, '/properties/email'],
    ['a name that is a text', { properties: { name: 'Joe' } }, '/properties/name'],
    ['a first name that is a number', { properties: { name: { first: 1 } } }, '/properties/name'],
    ['opt-out that is a text', { properties: { 'opt-out': 'receipts' } }, '/properties/opt-out'],
    [
      'a source timestamp without offset',
      { source_updated_timestamp: '2026-01-01T00:00:00' },
      '/source_updated_timestamp',
    ],
    ['an unknown field', { colour: 'red' }, '/colour'],
    ['a summary', { summary: {} }, '/summary'],
  ])('%s is 422', async (_what, overrides, path) => {
    const answer = await create({ identifier: anIdentifier(), ...(overrides as object) });
    expectError(answer, 422, 'schema_validation_failed');
    expect(answer.body.errors.map((fault: { path: string }) => fault.path)).toEqual([path]);
  });

  it('a birthdate may be null, and an identifier of 1 and of 255 characters is fine', async () => {
    expect((await create({ identifier: 'i', properties: { birthdate: null } })).status).toBe(201);
    expect((await create({ identifier: 'i'.repeat(255) })).status).toBe(201);
  });

  it('one that exists is 409 identifier_exists; another retailer has its own', async () => {
    const identifier = anIdentifier();
    expect((await create({ identifier })).status).toBe(201);
    expectError(await create({ identifier, properties }), 409, 'identifier_exists');
    expect((await other.api.post('/identifiers', { identifier })).status).toBe(201);
  });

  it('of many at once one makes it', async () => {
    const identifier = anIdentifier();
    const answers = await Promise.all(Array.from({ length: 6 }, () => create({ identifier })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  });

  it('the same Idempotency-Key gives the first answer again', async () => {
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
  it('an unknown one, and that of another retailer, are 404 identifier_not_found', async () => {
    const theirs = anIdentifier();
    await other.api.post('/identifiers', { identifier: theirs });
    for (const identifier of [theirs, 'nobody']) {
      expectError(await get(identifier), 404, 'identifier_not_found');
    }
  });

  it('case and blanks matter', async () => {
    const identifier = anIdentifier();
    await create({ identifier });
    for (const text of [identifier.toUpperCase(), ` ${identifier}`, `${identifier} `]) {
      expect((await get(text)).status).toBe(404);
    }
  });

  it('one that a receipt brings is known after a moment', async () => {
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

  it('the summary counts every receipt, in whatever order they come', async () => {
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

  it('the summary leaves duplicates out', async () => {
    const identifier = anIdentifier();
    const transaction = uniqueId();
    await post({ identifier, transaction_id: transaction, total: 10 });
    await post({ identifier, transaction_id: transaction, total: 10, duplicate: true });
    await post({ identifier, total: 5 });
    expect(await summarised(identifier, 2)).toMatchObject({ receipts: 2, total: 15 });
  });

  it('a receipt that is assigned later, or changes hands, moves its total', async () => {
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

  it('a signature that carries a consumer shows nobody else', async () => {
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

  it('can be pretty', async () => {
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

  it('gives those updated last first, in full', async () => {
    const { status, body } = await owner.api.get('/identifiers');
    expect([status, body._links]).toEqual([200, {}]);
    const found = body.identifiers as { identifier: string }[];
    expect(found.map(({ identifier }) => identifier)).toEqual([...names].reverse());
    expect(found[0]).toEqual((await owner.api.get('/identifiers/five')).body);
  });

  it('pages by count and older, by following next', async () => {
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

  it('a retailer without identifiers has an empty list', async () => {
    const empty = await aRetailer();
    expect((await empty.api.get('/identifiers')).body).toEqual({ identifiers: [], _links: {} });
  });

  it('bad pages are 400', async () => {
    for (const count of ['0', '101', 'x', '']) {
      expectError(await owner.api.get('/identifiers', { count }), 400, 'invalid_parameter');
    }
    for (const older of ['x', '000000000000000000000000', '1-x']) {
      expectError(await owner.api.get('/identifiers', { older }), 400, 'unknown_cursor');
    }
  });

  it('shows the summaries too', async () => {
    const identifier = 'with receipts';
    await owner.api.post('/receipts', aReceipt({ identifier, total: 7 }));
    await until('the summary', async () => {
      const { identifiers } = (await owner.api.get('/identifiers', { count: 1 })).body;
      return identifiers[0].identifier === identifier && identifiers[0].summary.total === 7;
    });
  });
});

describe('permissions', () => {
  it.each<[string, (client: Client) => Promise<Answer>]>([
    ['view.get_identifier', (client) => client.get('/identifiers')],
    ['view.get_identifier', (client) => client.get('/identifiers/nobody')],
    ['view.post_identifier', (client) => client.post('/identifiers', { identifier: anIdentifier() })],
  ])('%s is needed', async (permission, call) => {
    const every = ['view.get_identifier', 'view.post_identifier', 'view.search_identifier'];
    const without = await retailer.clientWith({ permissions: every.filter((name) => name !== permission) });
    expectError(await call(without), 403, 'permission_denied');
    const holder = await retailer.clientWith({ permissions: [permission] });
    expect([200, 201, 404]).toContain((await call(holder)).status);
    expectError(await call(await anonymous()), 401, 'unauthorized');
  });
});
