import { until } from '@receipts/testing';
import type { Client, TestRetailer } from './harness/client';
import { bearerToken, signedQuery } from './harness/credentials';
import type { HttpResponse } from './harness/http';
import { aReceipt, uniqueId } from './harness/receipts';
import { anonymous, aRetailer, operator as asOperator } from './harness/shared-platform';

let operator: Client;
let nobody: Client;
const inForceMs = 1_000;

beforeAll(async () => {
  [operator, nobody] = await Promise.all([asOperator(), anonymous()]);
});

const aSlug = () => uniqueId('op').toLowerCase();
const create = (overrides: Record<string, unknown> = {}) =>
  operator.post('/operator/retailers', { id: aSlug(), name: 'A retailer', ...overrides });
async function created(overrides: Record<string, unknown> = {}): Promise<string> {
  const answer = await create(overrides);
  expect(answer.status).toBe(201);
  return answer.body.id as string;
}
const read = async (id: string) => (await operator.get(`/operator/retailers/${id}`)).body;
const expectError = (answer: HttpResponse, status: number, code: string) =>
  expect([answer.status, answer.body.code]).toEqual([status, code]);
const faultPaths = (answer: HttpResponse) =>
  (answer.body.errors as { path: string }[]).map(({ path }) => path).sort();

const defaults = {
  timezone: 'UTC',
  currency: 'EUR',
  locale: 'en_GB',
  response_links: false,
  stores: { from_receipt: false, require_known: false },
  channels: {
    email: { enabled: true, from: null, reply_to: null, attach_pdf: true },
    sms: { enabled: false },
    whatsapp: { enabled: false },
  },
  auto_send: false,
  portal_groups: [],
  portal_permissions: {},
  cards: { enabled: false, check: 'none' },
  cors: { origins: [] },
  loyalty: [],
  dynamic_fields: { receipt: {}, item: {} },
  search_default_operator: 'or',
  retention_days: null,
  event_days: 30,
  personal_properties: [],
};

const wrongSettings: [string, unknown, string][] = [
  ['an invalid time zone', { timezone: 'Mars/Base' }, '/timezone'],
  ['an invalid currency', { currency: 'EUX' }, '/currency'],
  ['a locale with blanks', { locale: 'en GB' }, '/locale'],
  ['response_links that is a text', { response_links: 'yes' }, '/response_links'],
  ['stores.from_receipt that is a number', { stores: { from_receipt: 1 } }, '/stores/from_receipt'],
  ['an unknown member of stores', { stores: { open: true } }, '/stores/open'],
  ['an unknown channel', { channels: { fax: { enabled: true } } }, '/channels/fax'],
  ['a sender that is not an address', { channels: { email: { from: 'x' } } }, '/channels/email/from'],
  ['auto_send that is null', { auto_send: null }, '/auto_send'],
  ['portal groups that are a text', { portal_groups: 'clerks' }, '/portal_groups'],
  ['the same portal group twice', { portal_groups: ['a', 'a'] }, '/portal_groups'],
  [
    'an unknown portal permission',
    { portal_permissions: { clerks: ['view.get_receipt', 'view.fly'] } },
    '/portal_permissions/clerks/1',
  ],
  ['an unknown check of cards', { cards: { check: 'md5' } }, '/cards/check'],
  [
    'a programme that rewards no spend',
    { loyalty: [{ id: 1, name: 'L', rule: { spend: 0, value: 5, name: 'r' } }] },
    '/loyalty/0/rule/spend',
  ],
  [
    'a dynamic field of an unknown type',
    { dynamic_fields: { item: { size: 'big' } } },
    '/dynamic_fields/item/size',
  ],
  ['an unknown operator', { search_default_operator: 'xor' }, '/search_default_operator'],
  ['an invalid colour', { brand: { colour: 'red' } }, '/brand/colour'],
  ['a logo that is a script', { brand: { logo: 'javascript:alert(1)' } }, '/brand/logo'],
  ['retention of zero days', { retention_days: 0 }, '/retention_days'],
  ['events for zero days', { event_days: 0 }, '/event_days'],
  ['events for more than a year', { event_days: 366 }, '/event_days'],
  ['an origin with a path', { cors: { origins: ['https://shop.example/app'] } }, '/cors/origins/0'],
  ['every origin', { cors: { origins: ['*'] } }, '/cors/origins/0'],
  ['an empty personal property', { personal_properties: [''] }, '/personal_properties/0'],
  ['the same personal property twice', { personal_properties: ['a', 'a'] }, '/personal_properties'],
  ['an unknown setting', { colour: 'red' }, '/colour'],
];

describe('POST /operator/retailers', () => {
  it('returns 201 with a Location and the complete settings', async () => {
    const id = aSlug();
    const answer = await create({ id });
    expect(answer.status).toBe(201);
    expect(answer.headers.location).toBe(`/operator/retailers/${id}`);
    expect(answer.body).toMatchObject({ id, name: 'A retailer', vatno: null, settings: defaults });
    expect(await read(id)).toEqual(answer.body);
  });

  it('stores the given settings and fills in the rest', async () => {
    const settings = {
      timezone: 'Europe/Paris',
      stores: { require_known: true },
      channels: {
        email: { from: 'shop@demo.example', reply_to: 'help@demo.example' },
        sms: { enabled: true },
      },
      portal_groups: ['managers'],
      loyalty: [{ id: 1, name: 'L', rule: { spend: 100, value: 5, name: 'r' } }],
      dynamic_fields: { receipt: { operator: 'exact' }, item: { weight: 'float' } },
      brand: { name: 'Demo', colour: '#aabbcc', links: [{ name: 'Shop', href: 'https://demo.example' }] },
      retention_days: 400,
      event_days: 90,
      personal_properties: ['customer_name'],
    };
    const id = await created({ vatno: 'FR40303265045', settings });
    const body = await read(id);
    expect(body).toMatchObject({ vatno: 'FR40303265045', settings });
    expect(body.settings.stores.from_receipt).toBe(false);
    expect(body.settings.currency).toBe('EUR');
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['a missing id', { id: undefined }, '/id'],
    ['an id of one character', { id: 'a' }, '/id'],
    ['an id of 41 characters', { id: 'a'.repeat(41) }, '/id'],
    ['an id with capitals', { id: 'Demo' }, '/id'],
    ['an id with an underscore', { id: 'a_b' }, '/id'],
    ['an id with a slash', { id: 'a/b' }, '/id'],
    ['a missing name', { name: undefined }, '/name'],
    ['an empty name', { name: '' }, '/name'],
    ['a VAT number that is a number', { vatno: 5 }, '/vatno'],
    ['settings that are a list', { settings: [] }, '/settings'],
    ['an unknown field', { colour: 'red' }, '/colour'],
  ])('returns 422 for %s', async (_what, overrides, path) => {
    const answer = await create(overrides);
    expectError(answer, 422, 'schema_validation_failed');
    expect(faultPaths(answer)).toEqual([path]);
  });

  it.each(wrongSettings)('returns 422 for %s', async (_what, settings, path) => {
    const answer = await create({ settings });
    expectError(answer, 422, 'schema_validation_failed');
    expect(faultPaths(answer)).toEqual([`/settings${path}`]);
  });

  it('accepts ids of 2 and 40 characters', async () => {
    await created({ id: aSlug().padEnd(40, '-').slice(0, 40) });
    const two = Math.floor(Math.random() * 36 ** 2)
      .toString(36)
      .padStart(2, '0');
    expect([201, 409]).toContain((await create({ id: two })).status);
  });

  it('returns 409 for an existing retailer', async () => {
    const id = await created();
    const answer = await create({ id });
    expect([answer.status, answer.body.status]).toEqual([409, 'conflict']);
  });
});

describe('GET /operator/retailers', () => {
  it('lists retailers, newest first, in pages', async () => {
    const ids = [await created(), await created(), await created()].reverse();
    const seen: string[] = [];
    let path: string | undefined = '/operator/retailers?count=2';
    while (path !== undefined && !ids.every((id) => seen.includes(id))) {
      const answer: HttpResponse = await operator.get(path);
      expect(answer.status).toBe(200);
      expect(answer.body.retailers.length).toBeLessThanOrEqual(2);
      seen.push(...(answer.body.retailers as { id: string }[]).map(({ id }) => id));
      path = answer.body._links.next?.href as string | undefined;
    }
    // Other tests create retailers concurrently.
    expect(seen.filter((id) => ids.includes(id))).toEqual(ids);
  });

  it('returns a retailer, or 404', async () => {
    const id = await created();
    expect((await operator.get(`/operator/retailers/${id}`)).headers.etag).toMatch(/^"/);
    for (const unknown of ['nobody-here', 'X', 'a%2Fb']) {
      expectError(await operator.get(`/operator/retailers/${unknown}`), 404, 'not_found');
    }
  });

  it('returns 400 for invalid paging', async () => {
    for (const count of ['0', '101', 'x']) {
      expectError(await operator.get('/operator/retailers', { count }), 400, 'invalid_parameter');
    }
    expectError(await operator.get('/operator/retailers', { older: 'nobody-here' }), 400, 'unknown_cursor');
  });
});

describe('PATCH /operator/retailers/{id}', () => {
  const send = (id: string, body: unknown, type: string, headers: Record<string, string> = {}) =>
    operator.call(`/operator/retailers/${id}`, {
      method: 'PATCH',
      body: JSON.stringify(body),
      headers: { 'content-type': type, ...headers },
    });
  const jsonPatch = (id: string, operations: unknown, headers?: Record<string, string>) =>
    send(id, operations, 'application/json-patch+json', headers);

  it('accepts a JSON Patch', async () => {
    const id = await created();
    const answer = await jsonPatch(id, [
      { op: 'test', path: '/settings/currency', value: 'EUR' },
      { op: 'replace', path: '/name', value: 'New name' },
      { op: 'replace', path: '/vatno', value: 'DE1' },
      { op: 'replace', path: '/settings/timezone', value: 'Europe/Paris' },
      { op: 'add', path: '/settings/portal_groups/-', value: 'clerks' },
    ]);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      id,
      name: 'New name',
      vatno: 'DE1',
      settings: { ...defaults, timezone: 'Europe/Paris', portal_groups: ['clerks'] },
    });
    expect(await read(id)).toEqual(answer.body);
  });

  it.each(['application/merge-patch+json', 'application/json'])(
    'accepts a merge patch as %s',
    async (type) => {
      const id = await created({ vatno: 'X', settings: { currency: 'USD', portal_groups: ['a', 'b'] } });
      const change = {
        vatno: null,
        settings: { stores: { from_receipt: true }, portal_groups: ['c'], currency: null },
      };
      const answer = await send(id, change, type);
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({
        name: 'A retailer',
        vatno: null,
        settings: {
          ...defaults,
          stores: { from_receipt: true, require_known: false },
          portal_groups: ['c'],
        },
      });
    },
  );

  it('restores the default of a removed setting', async () => {
    const id = await created({ settings: { timezone: 'Asia/Tokyo' } });
    const answer = await jsonPatch(id, [{ op: 'remove', path: '/settings/timezone' }]);
    expect(answer.body.settings.timezone).toBe('UTC');
  });

  it.each(wrongSettings)(
    'returns 422 for %s with every media type, and changes nothing',
    async (_what, settings, path) => {
      const id = await created();
      const before = await read(id);
      // In a merge patch null means removal, which is not an error.
      const isNull = JSON.stringify(settings).includes(':null');
      const [member, value] = Object.entries(settings as object)[0] as [string, unknown];
      const answers = [
        await jsonPatch(id, [{ op: 'add', path: `/settings/${member}`, value }]),
        ...(isNull
          ? []
          : [
              await send(id, { settings }, 'application/merge-patch+json'),
              await send(id, { settings }, 'application/json'),
            ]),
      ];
      for (const answer of answers) {
        expectError(answer, 422, 'schema_validation_failed');
        expect(faultPaths(answer)).toEqual([`/settings${path}`]);
      }
      expect(await read(id)).toEqual(before);
    },
  );

  it('reports every fault in the settings', async () => {
    const answer = await send(
      await created(),
      { name: '', settings: { timezone: 'x', currency: 'x', colour: 1, stores: { from_receipt: 1 } } },
      'application/json',
    );
    expect(faultPaths(answer)).toEqual([
      '/name',
      '/settings/colour',
      '/settings/currency',
      '/settings/stores/from_receipt',
      '/settings/timezone',
    ]);
  });

  it('does not change the id', async () => {
    const id = await created();
    expectError(
      await jsonPatch(id, [{ op: 'replace', path: '/id', value: 'x-y' }]),
      422,
      'field_not_modifiable',
    );
    expectError(await send(id, { id: 'x-y' }, 'application/json'), 422, 'field_not_modifiable');
  });

  it('returns the errors of JSON Patch', async () => {
    const id = await created();
    expectError(await jsonPatch(id, { name: 'x' }), 400, 'malformed_patch');
    expectError(await jsonPatch(id, [{ op: 'bump', path: '/name' }]), 400, 'malformed_patch');
    expectError(await jsonPatch(id, [{ op: 'remove', path: '/settings/x' }]), 422, 'patch_not_applicable');
    expectError(await jsonPatch(id, [{ op: 'test', path: '/name', value: 'x' }]), 409, 'patch_test_failed');
    const etag = String((await operator.get(`/operator/retailers/${id}`)).headers.etag);
    const change = [{ op: 'replace', path: '/name', value: 'x' }];
    const first = await jsonPatch(id, change, { 'if-match': etag });
    expect([first.status, first.headers.etag === etag]).toEqual([200, false]);
    expect((await jsonPatch(id, change, { 'if-match': etag })).status).toBe(412);
    const none = await jsonPatch(id, []);
    expect([none.status, none.headers.etag]).toEqual([200, first.headers.etag]);
  });

  it('returns 415 with the three accepted media types for another type', async () => {
    const answer = await send(await created(), {}, 'text/plain');
    expectError(answer, 415, 'unsupported_media_type');
    for (const type of ['application/json-patch+json', 'application/merge-patch+json', 'application/json']) {
      expect(answer.headers['accept-patch']).toContain(type);
    }
  });

  it('returns 422 for a merge patch that is not an object, and 404 for an unknown retailer', async () => {
    expect((await send(await created(), [], 'application/json')).status).toBe(422);
    expectError(await send('nobody-here', {}, 'application/json'), 404, 'not_found');
    expectError(await jsonPatch('nobody-here', []), 404, 'not_found');
  });

  it('takes effect in every service within a second', async () => {
    const retailer = await aRetailer();
    const post = () =>
      retailer.api.post('/receipts', aReceipt({ store_reference: 987, identifier: 'a@b.example' }));
    const { id } = (await post()).body;
    const channels = async () =>
      (await retailer.api.post('/receipts/_send', { id, channels: ['email'], resolve: true })).body
        .channels as string[];
    expect(await channels()).toEqual(['email']);
    const settings = { stores: { require_known: true }, channels: { email: { enabled: false } } };
    expect((await send(retailer.id, { settings }, 'application/json')).status).toBe(200);
    await until('the setting of stores', async () => (await post()).status === 422, inForceMs);
    await until('the setting of channels', async () => (await channels()).length === 0, inForceMs);
    expectError(await post(), 422, 'store_not_found');
  });

  it('applies a new time zone to the next receipt', async () => {
    const retailer = await aRetailer();
    const localtime = '2026-07-01T12:00:00';
    const offset = async () => {
      const { id } = (await retailer.api.post('/receipts', aReceipt({ localtime }))).body;
      return ((await retailer.api.get(`/receipts/${id}`)).body.localtime as string).slice(-6);
    };
    expect(await offset()).toBe('+00:00');
    await jsonPatch(retailer.id, [{ op: 'replace', path: '/settings/timezone', value: 'Asia/Tokyo' }]);
    await until('the time zone', async () => (await offset()) === '+09:00', inForceMs);
  });
});

describe('POST /operator/retailers/{id}/clients/{authentication}', () => {
  const body = { description: 'First', permissions: ['view.*'] };

  it.each(['bearer', 'hmac'])('creates a first %s credential that works immediately', async (kind) => {
    const id = await created();
    const answer = await operator.post(`/operator/retailers/${id}/clients/${kind}`, body);
    expect(answer.status).toBe(201);
    expect(answer.headers.location).toBe(`/clients/${kind}/${answer.body.id}`);
    expect(answer.body).toMatchObject({
      ...body,
      revoked: false,
      key: expect.stringMatching(/^.{20}$/) as string,
    });
    const used =
      kind === 'bearer'
        ? await nobody.get('/clients/bearer', undefined, {
            authorization: `Bearer ${bearerToken(answer.body)}`,
          })
        : await nobody.get('/clients/hmac', signedQuery(answer.body));
    expect(used.status).toBe(200);
    const { secret: _secret, ...shown } = answer.body;
    expect(used.body.clients).toEqual([shown]);
  });

  it('checks the body as POST /clients/{authentication} does', async () => {
    const path = `/operator/retailers/${await created()}/clients`;
    const unknown = { ...body, permissions: ['view.fly'] };
    expectError(await operator.post(`${path}/bearer`, unknown), 422, 'schema_validation_failed');
    expectError(await operator.post(`${path}/bearer`, { permissions: [] }), 422, 'schema_validation_failed');
    expectError(
      await operator.post(`${path}/bearer`, { ...body, signature_max_age: 60 }),
      422,
      'schema_validation_failed',
    );
  });

  it('returns 404 for an unknown retailer or authentication', async () => {
    expectError(await operator.post('/operator/retailers/nobody-here/clients/hmac', body), 404, 'not_found');
    const id = await created();
    expectError(await operator.post(`/operator/retailers/${id}/clients/password`, body), 404, 'not_found');
  });
});

describe('credentials', () => {
  const calls: [string, (client: Client) => Promise<HttpResponse>][] = [
    ['list', (client) => client.get('/operator/retailers')],
    ['read', (client) => client.get('/operator/retailers/demo')],
    ['create', (client) => client.post('/operator/retailers', { id: 'zz', name: 'x' })],
    ['patch', (client) => client.patch('/operator/retailers/demo', [])],
    [
      'issue credentials',
      (client) => client.post('/operator/retailers/demo/clients/hmac', { description: 'x', permissions: [] }),
    ],
  ];
  let retailer: TestRetailer;
  beforeAll(async () => {
    retailer = await aRetailer();
  });

  it.each(calls)('%s returns 401 without the token', async (_what, call) => {
    const answer = await call(nobody);
    expectError(answer, 401, 'unauthorized');
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
  });

  it.each(calls)("%s returns 403 with a retailer's token", async (_what, call) => {
    const answer = await call(retailer.api);
    expect([answer.status, answer.body.status]).toEqual([403, 'forbidden']);
  });

  it.each(['x', 'Bearer', 'a.b.c', 'operator'])('returns 401 for the token "%s"', async (token) => {
    const answer = await nobody.get('/operator/retailers', undefined, { authorization: `Bearer ${token}` });
    expect(answer.status).toBe(401);
  });

  it('does not accept a signed URL', async () => {
    expect([401, 403]).toContain((await retailer.signed().get('/operator/retailers')).status);
  });

  it("does not accept the operator's token for a retailer", async () => {
    expect((await operator.get('/receipts')).status).toBe(401);
  });
});
