import { until } from '@receipts/testing';
import type { Client, TestRetailer } from './harness/client';
import { bearerToken, signedQuery } from './harness/credentials';
import type { HttpResponse } from './harness/http';
import { aReceipt, uniqueId } from './harness/receipts';
import { anonymous, aRetailer } from './harness/shared-platform';

interface Made {
  readonly id: number;
  readonly key: string;
  readonly secret: string;
  readonly permissions: string[];
}

let retailer: TestRetailer;
let other: TestRetailer;
let nobody: Client;
const inForceMs = 1_000;

beforeAll(async () => {
  [retailer, other, nobody] = await Promise.all([aRetailer(), aRetailer(), anonymous()]);
});

const aClient = (overrides: Record<string, unknown> = {}) => ({
  description: 'A till',
  permissions: ['view.get_receipt'],
  ...overrides,
});
const post = (authentication: string, overrides: Record<string, unknown> = {}) =>
  retailer.api.post(`/clients/${authentication}`, aClient(overrides));
const patch = (path: string, body: unknown, by: Client = retailer.api) =>
  by.call(path, { method: 'PATCH', body });

async function made(authentication: string, overrides: Record<string, unknown> = {}): Promise<Made> {
  const answer = await post(authentication, overrides);
  expect(answer.status).toBe(201);
  return answer.body as Made;
}

const aKey = () => uniqueId('k').padEnd(20, 'x').slice(-20);
const withToken = (client: { key: string; secret: string }, path = '/receipts') =>
  nobody.get(path, undefined, { authorization: `Bearer ${bearerToken(client)}` });
const withSignature = (client: { key: string; secret: string }, options = {}) =>
  nobody.get('/receipts', signedQuery(client, options));
const expectError = (answer: HttpResponse, status: number, code: string) =>
  expect([answer.status, answer.body.code]).toEqual([status, code]);
const faultPaths = (answer: HttpResponse) =>
  answer.body.errors.map((fault: { path: string }) => fault.path) as string[];

describe('POST /clients/{authentication}', () => {
  it.each(['hmac', 'bearer'])(
    '%s: returns 201 with a Location, a generated key and a secret',
    async (kind) => {
      const answer = await post(kind);
      expect(answer.status).toBe(201);
      expect(answer.body).toMatchObject({
        description: 'A till',
        id: expect.any(Number) as number,
        key: expect.stringMatching(/^.{20}$/) as string,
        permissions: ['view.get_receipt'],
        revoked: false,
        secret: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/) as string,
      });
      expect(answer.headers.location).toBe(`/clients/${kind}/${answer.body.id}`);
      const used = await (kind === 'hmac' ? withSignature(answer.body) : withToken(answer.body));
      expect(used.status).toBe(200);
    },
  );

  it('accepts a given key and secret', async () => {
    const [key, secret] = [aKey(), Buffer.alloc(32, 7).toString('base64')];
    const client = await made('bearer', { key, secret });
    expect([client.key, client.secret]).toEqual([key, secret]);
    expect((await withToken({ key, secret })).status).toBe(200);
  });

  it('sets signature_max_age to 86400 by default, and omits it for bearer clients', async () => {
    expect(await made('hmac')).toMatchObject({ signature_max_age: 86_400 });
    for (const age of [1, 86_400]) {
      expect(await made('hmac', { signature_max_age: age })).toMatchObject({ signature_max_age: age });
    }
    expect(await made('bearer')).not.toHaveProperty('signature_max_age');
    const refused = await post('bearer', { signature_max_age: 60 });
    expect([refused.status, faultPaths(refused)]).toEqual([422, ['/signature_max_age']]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['a missing description', { description: undefined }, '/description'],
    ['an empty description', { description: '' }, '/description'],
    ['a description of 256 characters', { description: 'd'.repeat(256) }, '/description'],
    ['missing permissions', { permissions: undefined }, '/permissions'],
    ['permissions that are a string', { permissions: 'view.get_receipt' }, '/permissions'],
    ['an unknown permission', { permissions: ['view.get_receipt', 'view.fly'] }, '/permissions/1'],
    ['a malformed permission', { permissions: ['get_receipt'] }, '/permissions/0'],
    ['a string as revoked', { revoked: 'no' }, '/revoked'],
    ['a key of 19 characters', { key: 'k'.repeat(19) }, '/key'],
    ['a key of 21 characters', { key: 'k'.repeat(21) }, '/key'],
    ['a secret that is not base64', { secret: 'not base64!' }, '/secret'],
    ['a secret that is too short', { secret: 'AAAA' }, '/secret'],
    ['signature_max_age 0', { signature_max_age: 0 }, '/signature_max_age'],
    ['signature_max_age of more than a day', { signature_max_age: 86_401 }, '/signature_max_age'],
    ['a fractional signature_max_age', { signature_max_age: 1.5 }, '/signature_max_age'],
    ['an unknown setting', { settings: { colour: 'red' } }, '/settings/colour'],
    ['a setting of the wrong type', { settings: { consumer_required: 1 } }, '/settings/consumer_required'],
    ['a string as pretty', { pretty: 'yes' }, '/pretty'],
    ['an unknown field', { colour: 'red' }, '/colour'],
    ['an id', { id: 5 }, '/id'],
  ])('returns 422 and names the field for %s', async (_what, overrides, path) => {
    const answer = await post('hmac', overrides);
    expectError(answer, 422, 'schema_validation_failed');
    expect(faultPaths(answer)).toEqual([path]);
  });

  it('accepts descriptions of 1 and 255 characters, and an empty list of permissions', async () => {
    for (const length of [1, 255]) await made('hmac', { description: 'd'.repeat(length) });
    expect((await made('bearer', { permissions: [] })).permissions).toEqual([]);
  });

  it('accepts every permission of the interface', async () => {
    const names =
      'get_receipt search_receipt post_receipt patch_receipt assign_receipt unassign_receipt send_receipt ' +
      'post_pos_receipt post_pos_data get_packet reprocess_packet manage_mapping post_attachment get_attachment ' +
      'get_identifier search_identifier post_identifier patch_identifier validate_identifier get_store post_store ' +
      'patch_store get_loyalty post_card get_client post_client patch_client put_portal_user reset_portal_user ' +
      'manage_webhook delete_receipt erase_identifier export_identifier get_events get_report';
    const permissions = ['view.*', ...names.split(' ').map((name) => `view.${name}`)];
    expect((await made('bearer', { permissions })).permissions).toEqual(permissions);
  });

  it('returns 409 for a key that is already used, even by another retailer', async () => {
    const { key } = await made('hmac');
    expectError(await post('bearer', { key }), 409, 'client_key_exists');
    expectError(await other.api.post('/clients/hmac', aClient({ key })), 409, 'client_key_exists');
  });

  it('gives no access to a client that is created as revoked', async () => {
    const client = await made('bearer', { revoked: true });
    expect((await withToken(client)).status).toBe(401);
  });

  it('formats the response if pretty is set', async () => {
    const answer = await post('hmac', { pretty: true });
    expect([answer.status, answer.bytes.toString().includes('\n  "')]).toEqual([201, true]);
    expect(answer.body).not.toHaveProperty('pretty');
  });

  it.each(['password', 'HMAC', 'bearer2'])(
    'returns 404 for the unknown authentication type %s',
    async (kind) => expectError(await post(kind), 404, 'not_found'),
  );

  it('does not allow callers to grant permissions that they lack', async () => {
    const maker = await retailer.clientWith({ permissions: ['view.post_client', 'view.get_receipt'] });
    expect((await maker.post('/clients/bearer', aClient())).status).toBe(201);
    for (const permissions of [['view.post_receipt'], ['view.*'], ['view.get_receipt', 'view.get_store']]) {
      const answer = await maker.post('/clients/bearer', aClient({ permissions }));
      expectError(answer, 403, 'permission_denied');
    }
  });

  it('returns the same client without its secret for a retry with the same Idempotency-Key', async () => {
    const key = { 'idempotency-key': uniqueId('key') };
    const first = await retailer.api.post('/clients/hmac', aClient(), key);
    const again = await retailer.api.post('/clients/hmac', aClient(), key);
    expect([again.status, again.body]).toEqual([201, { ...first.body, secret: null }]);
    expect(again.headers['idempotent-replayed']).toBe('true');
  });

  it('does not repeat a response to another caller with the same Idempotency-Key, with or without the permission', async () => {
    const key = { 'idempotency-key': uniqueId('key') };
    const first = await retailer.api.post('/clients/hmac', aClient(), key);
    const asHolderOf = async (permissions: string[]) => {
      const authorization = `Bearer ${bearerToken(await made('bearer', { permissions }))}`;
      return nobody.post('/clients/hmac', aClient(), { ...key, authorization });
    };
    expectError(await asHolderOf(['view.get_receipt']), 403, 'permission_denied');
    const equal = await asHolderOf(['view.get_receipt', 'view.post_client']);
    expect([equal.status, equal.headers['idempotent-replayed']]).toEqual([201, undefined]);
    expect(equal.body.id).not.toBe(first.body.id);
  });
});

describe('GET /clients/{authentication}/{client_id}', () => {
  it('returns everything except the secret', async () => {
    const { secret: _secret, ...rest } = await made('hmac', { permissions: ['view.get_store'] });
    const answer = await retailer.api.get(`/clients/hmac/${rest.id}`);
    expect([answer.status, answer.body]).toEqual([200, rest]);
    expect(Object.keys(answer.body)).toEqual(
      expect.arrayContaining(['description', 'id', 'key', 'permissions', 'revoked']),
    );
    const pretty = await retailer.api.get(`/clients/hmac/${rest.id}`, { pretty: 'true' });
    expect(pretty.bytes.toString()).toContain('\n  "');
  });

  it("returns 404 for an unknown client, a client of the other kind and another retailer's client", async () => {
    const { id } = await made('hmac');
    const theirs = (await other.api.post('/clients/hmac', aClient())).body.id as number;
    const ids = (await retailer.api.get('/clients/hmac')).body.clients.map((one: Made) => one.id) as number[];
    const paths = [`/clients/bearer/${id}`, '/clients/hmac/0', '/clients/hmac/x', '/clients/hmac/99999999'];
    if (!ids.includes(theirs)) paths.push(`/clients/hmac/${theirs}`);
    for (const path of [...paths, `/clients/password/${id}`]) {
      expectError(await retailer.api.get(path), 404, 'not_found');
    }
  });

  it('never returns another retailer’s client with the same id', async () => {
    const { clients } = (await other.api.get('/clients/bearer')).body as { clients: Made[] };
    for (const { id, key } of clients) {
      const answer = await retailer.api.get(`/clients/bearer/${id}`);
      if (answer.status === 200) expect(answer.body.key).not.toBe(key);
    }
  });
});

describe('GET /clients/{authentication}', () => {
  it('lists the clients of one kind, newest first, without secrets, in pages', async () => {
    const owner = await aRetailer();
    const ids: number[] = [];
    for (let n = 0; n < 4; n++) ids.unshift((await owner.api.post('/clients/hmac', aClient())).body.id);
    const seen: number[] = [];
    for (let path: string | undefined = '/clients/hmac?count=2'; path !== undefined;) {
      const answer = await owner.api.get(path);
      expect(answer.status).toBe(200);
      expect(answer.bytes.toString()).not.toContain('secret');
      expect(answer.body.clients.length).toBeLessThanOrEqual(2);
      seen.push(...(answer.body.clients as Made[]).map(({ id }) => id));
      path = answer.body._links.next?.href as string | undefined;
    }
    expect(seen).toEqual([...ids, owner.hmac.id]);
    const bearers = (await owner.api.get('/clients/bearer')).body.clients as Made[];
    expect(bearers.map(({ id }) => id)).toEqual([owner.bearer.id]);
  });

  it('returns 400 for invalid paging and 404 for an unknown kind', async () => {
    for (const count of ['0', '101', 'x']) {
      expectError(await retailer.api.get('/clients/hmac', { count }), 400, 'invalid_parameter');
    }
    expectError(await retailer.api.get('/clients/hmac', { older: 99_999_999 }), 400, 'unknown_cursor');
    expectError(await retailer.api.get('/clients/password'), 404, 'not_found');
  });
});

describe('PATCH /clients/{authentication}/{client_id}', () => {
  const patched = async (kind: string, client: Made, body: object) => {
    const answer = await patch(`/clients/${kind}/${client.id}`, body);
    expect(answer.status).toBe(200);
    return answer.body as Made & Record<string, unknown>;
  };

  it('returns the whole client and its secret', async () => {
    const client = await made('hmac');
    const body = await patched('hmac', client, { description: 'Another' });
    expect(body).toEqual({ ...client, description: 'Another' });
    expect((await retailer.api.get(`/clients/hmac/${client.id}`)).body.description).toBe('Another');
  });

  it('replaces the list with permissions, adds to it with += and removes from it with -=', async () => {
    const client = await made('bearer', { permissions: ['view.get_receipt', 'view.get_store'] });
    const after = async (body: object) => (await patched('bearer', client, body)).permissions;
    expect(await after({ 'permissions+=': ['view.post_store', 'view.get_store'] })).toEqual([
      'view.get_receipt',
      'view.get_store',
      'view.post_store',
    ]);
    expect(await after({ 'permissions-=': ['view.get_receipt', 'view.post_card'] })).toEqual([
      'view.get_store',
      'view.post_store',
    ]);
    expect(await after({ permissions: ['view.post_card'] })).toEqual(['view.post_card']);
    expect(await after({ permissions: [] })).toEqual([]);
  });

  it('accepts only one of the three permissions fields', async () => {
    const { id } = await made('bearer');
    const fields = ['permissions', 'permissions+=', 'permissions-='];
    for (const [one, two] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ] as const) {
      const body = { [fields[one] as string]: ['view.get_store'], [fields[two] as string]: [] };
      expectError(await patch(`/clients/bearer/${id}`, body), 422, 'schema_validation_failed');
    }
  });

  it.each<[string, Record<string, unknown>]>([
    ['an empty description', { description: '' }],
    ['a description of 256 characters', { description: 'd'.repeat(256) }],
    ['a key of 19 characters', { key: 'k'.repeat(19) }],
    ['null as revoked', { revoked: null }],
    ['an unknown permission', { 'permissions+=': ['view.fly'] }],
    ['removal of an unknown permission', { 'permissions-=': ['view.fly'] }],
    ['signature_max_age 0', { signature_max_age: 0 }],
    ['signature_max_age of more than a day', { signature_max_age: 86_401 }],
    ['a secret', { secret: Buffer.alloc(32).toString('base64') }],
    ['an unknown field', { colour: 'red' }],
  ])('returns 422 and changes nothing for %s', async (_what, body) => {
    const { secret: _secret, ...client } = await made('hmac');
    const answer = await patch(`/clients/hmac/${client.id}`, { description: 'Changed', ...body });
    expectError(answer, 422, 'schema_validation_failed');
    expect((await retailer.api.get(`/clients/hmac/${client.id}`)).body).toEqual(client);
  });

  it('returns 422 for the signature_max_age of a bearer client', async () => {
    const { id } = await made('bearer');
    const answer = await patch(`/clients/bearer/${id}`, { signature_max_age: 60 });
    expect([answer.status, faultPaths(answer)]).toEqual([422, ['/signature_max_age']]);
  });

  it('applies a shorter signature_max_age within a second', async () => {
    const client = await made('hmac');
    const expires = () => Math.floor(Date.now() / 1000) + 600;
    expect((await withSignature(client, { expires: expires() })).status).toBe(200);
    expect(await patched('hmac', client, { signature_max_age: 60 })).toMatchObject({ signature_max_age: 60 });
    await until(
      'the new limit',
      async () => (await withSignature(client, { expires: expires() })).status === 403,
      inForceMs,
    );
  });

  it('revokes and restores access within a second', async () => {
    const client = await made('bearer');
    expect((await patched('bearer', client, { revoked: true })).revoked).toBe(true);
    await until('the revocation', async () => (await withToken(client)).status === 401, inForceMs);
    expect((await patched('bearer', client, { revoked: false })).revoked).toBe(false);
    await until('the return', async () => (await withToken(client)).status === 200, inForceMs);
  });

  it('applies a new permission within a second', async () => {
    const client = await made('bearer');
    expect((await withToken(client, '/stores')).status).toBe(403);
    await patched('bearer', client, { 'permissions+=': ['view.get_store'] });
    await until('the permission', async () => (await withToken(client, '/stores')).status === 200, inForceMs);
  });

  it('replaces a key within a second', async () => {
    const client = await made('bearer');
    const key = aKey();
    expect((await patched('bearer', client, { key })).key).toBe(key);
    await until(
      'the new key works',
      async () => (await withToken({ ...client, key })).status === 200,
      inForceMs,
    );
    await until('the old key is rejected', async () => (await withToken(client)).status === 401, inForceMs);
    const taken = await made('hmac');
    expectError(await patch(`/clients/hmac/${taken.id}`, { key }), 409, 'client_key_exists');
  });

  it('changes nothing for {}, and does not treat pretty as a change', async () => {
    const client = await made('hmac');
    expect(await patched('hmac', client, {})).toEqual(client);
    const pretty = await patch(`/clients/hmac/${client.id}`, { pretty: true });
    expect(pretty.bytes.toString()).toContain('\n  "');
  });

  it('does not change a client with more permissions than the caller, or grant permissions that the caller lacks', async () => {
    const [weak, strong] = await Promise.all([
      made('bearer', { permissions: ['view.get_receipt'] }),
      made('bearer', { permissions: ['view.get_receipt', 'view.get_store'] }),
    ]);
    const by = await retailer.clientWith({ permissions: ['view.patch_client', 'view.get_receipt'] });
    const refused = await patch(`/clients/bearer/${strong.id}`, { description: 'Mine' }, by);
    expectError(refused, 403, 'permission_denied');
    expect(refused.bytes.toString()).not.toContain(strong.secret);
    // The caller must not be able to take the client over by first removing the permissions that the caller lacks.
    const shrunk = await patch(`/clients/bearer/${strong.id}`, { permissions: [] }, by);
    expectError(shrunk, 403, 'permission_denied');
    expectError(
      await patch(`/clients/bearer/${weak.id}`, { 'permissions+=': ['view.get_store'] }, by),
      403,
      'permission_denied',
    );
    expect((await patch(`/clients/bearer/${weak.id}`, { description: 'Mine' }, by)).status).toBe(200);
  });

  it('accepts only JSON, and returns 404 for an unknown client', async () => {
    const { id } = await made('hmac');
    const answer = await retailer.api.patch(`/clients/hmac/${id}`, []);
    expectError(answer, 415, 'unsupported_media_type');
    expect(answer.headers['accept-patch']).toContain('application/json');
    expectError(await patch('/clients/hmac/99999999', {}), 404, 'not_found');
    expectError(await patch(`/clients/bearer/${id}`, {}), 404, 'not_found');
  });
});

describe('tokens of bearer clients', () => {
  const issue = (id: number, body: unknown = {}, by: Client = retailer.api) =>
    by.post(`/clients/bearer/${id}/tokens`, body);
  const revoke = (id: number, body: unknown, by: Client = retailer.api) =>
    by.post(`/clients/bearer/${id}/tokens/_revoke`, body);
  const tokensOf = async (id: number) => {
    const answer = await retailer.api.get(`/clients/bearer/${id}/tokens`);
    expect(answer.status).toBe(200);
    return answer.body.tokens as { jti: string; expires: string | null; revoked: boolean }[];
  };
  const use = (token: string) => nobody.get('/receipts', undefined, { authorization: `Bearer ${token}` });

  it('are issued with a jti and an expiry, or are valid until they are revoked', async () => {
    const { id } = await made('bearer');
    const short = await issue(id, { expires_in: 600 });
    expect(short.status).toBe(201);
    expect(Object.keys(short.body).sort()).toEqual(['expires', 'jti', 'token']);
    const lifeMs = Date.parse(short.body.expires) - Date.now();
    expect(lifeMs).toBeGreaterThan(590_000);
    expect(lifeMs).toBeLessThanOrEqual(600_000);
    expect((await issue(id)).body.expires).toBeNull();
    expect((await retailer.api.call(`/clients/bearer/${id}/tokens`, { method: 'POST' })).status).toBe(201);
    const [header, payload] = (short.body.token as string)
      .split('.')
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>);
    expect(header).toMatchObject({ alg: 'HS256', typ: 'JWT' });
    expect(payload).toMatchObject({ jti: short.body.jti, exp: expect.any(Number) as number });
    expect((await use(short.body.token)).status).toBe(200);
  });

  it('are listed, but their values are never shown again', async () => {
    const { id } = await made('bearer');
    const issued = [(await issue(id)).body, (await issue(id, { expires_in: 60 })).body];
    const answer = await retailer.api.get(`/clients/bearer/${id}/tokens`);
    for (const { token } of issued) expect(answer.bytes.toString()).not.toContain(token);
    const { tokens } = answer.body;
    expect(tokens.map(({ jti }: { jti: string }) => jti)).toEqual(issued.map(({ jti }) => jti).reverse());
    expect(Object.keys(tokens[0]).sort()).toEqual(['expires', 'issued', 'jti', 'last_used', 'revoked']);
    expect(tokens[0]).toMatchObject({ revoked: false, last_used: null });
    expect(tokens[1].expires).toBeNull();
    const page = await retailer.api.get(`/clients/bearer/${id}/tokens`, { count: 1 });
    const next = await retailer.api.get(page.body._links.next.href as string);
    expect([page.body.tokens[0].jti, next.body.tokens[0].jti]).toEqual([issued[1].jti, issued[0].jti]);
  });

  it('are revoked individually by jti, or all at once by all: true', async () => {
    const { id } = await made('bearer');
    const [one, two] = [(await issue(id)).body, (await issue(id)).body];
    const answer = await revoke(id, { jti: one.jti });
    expect([answer.status, answer.bytes.length]).toEqual([204, 0]);
    await until('the revocation', async () => (await use(one.token)).status === 401, inForceMs);
    expect((await use(two.token)).status).toBe(200);
    const states = new Map((await tokensOf(id)).map(({ jti, revoked }) => [jti, revoked]));
    expect([states.get(one.jti), states.get(two.jti)]).toEqual([true, false]);

    expect((await revoke(id, { all: true })).status).toBe(204);
    await until('all tokens are rejected', async () => (await use(two.token)).status === 401, inForceMs);
    expect((await tokensOf(id)).every(({ revoked }) => revoked)).toBe(true);
    const fresh = (await issue(id)).body;
    expect((await use(fresh.token)).status).toBe(200);
  });

  it('are revoked by jti even if the integrator has signed them', async () => {
    const client = await made('bearer');
    const jti = '0d1b1f0e-5a5d-4a38-9e1c-0c9c1b6d2f11';
    const token = bearerToken(client, { payload: { jti } });
    expect((await use(token)).status).toBe(200);
    expect((await revoke(client.id, { jti })).status).toBe(204);
    await until('the revocation', async () => (await use(token)).status === 401, inForceMs);
  });

  it.each([{}, { jti: 'x', all: true }, { all: false }, { jti: '' }, { jti: 5 }, { colour: 'red' }])(
    'are not revoked by %j (422)',
    async (body) => {
      expectError(await revoke((await made('bearer')).id, body), 422, 'schema_validation_failed');
    },
  );

  it.each([{ expires_in: 0 }, { expires_in: -1 }, { expires_in: 1.5 }, { expires_in: 'x' }, { life: 1 }])(
    'are not issued for %j (422)',
    async (body) => {
      expectError(await issue((await made('bearer')).id, body), 422, 'schema_validation_failed');
    },
  );

  it('exist only for bearer clients of the retailer', async () => {
    const { id } = await made('hmac');
    for (const unknown of [id, 99_999_999]) {
      expectError(await issue(unknown), 404, 'not_found');
      expectError(await revoke(unknown, { all: true }), 404, 'not_found');
      expectError(await retailer.api.get(`/clients/bearer/${unknown}/tokens`), 404, 'not_found');
    }
  });

  it('require the permission to patch clients, and a client without permissions that the caller lacks', async () => {
    const strong = await made('bearer', { permissions: ['view.*'] });
    const weak = await made('bearer', { permissions: ['view.get_receipt'] });
    const reader = await retailer.clientWith({ permissions: ['view.get_client', 'view.post_client'] });
    expectError(await issue(weak.id, {}, reader), 403, 'permission_denied');
    expectError(await revoke(weak.id, { all: true }, reader), 403, 'permission_denied');
    const patcher = await retailer.clientWith({ permissions: ['view.patch_client', 'view.get_receipt'] });
    expect((await issue(weak.id, {}, patcher)).status).toBe(201);
    expectError(await issue(strong.id, {}, patcher), 403, 'permission_denied');
    expectError(await revoke(strong.id, { all: true }, patcher), 403, 'permission_denied');
  });

  it('are not issued for a revoked client', async () => {
    const { id } = await made('bearer', { revoked: true });
    expectError(await issue(id), 422, 'client_revoked');
  });
});

describe('the settings of a client', () => {
  it('require a consumer for lists and single reads if consumer_required is set', async () => {
    const client = await retailer.clientWith({
      permissions: ['view.*'],
      settings: { consumer_required: true },
    });
    const { id } = (await retailer.api.post('/receipts', aReceipt({ identifier: 'jane' }))).body;
    for (const path of ['/receipts', `/receipts/${id}`, '/receipts/_search?query=total:25.48']) {
      expectError(await client.get(path), 400, 'invalid_parameter');
    }
    expect((await client.get('/receipts', { consumer: 'jane' })).status).toBe(200);
    expect((await client.get(`/receipts/${id}`, { consumer: 'jane' })).status).toBe(200);
    expectError(await client.get(`/receipts/${id}`, { consumer: 'joe' }), 404, 'receipt_not_found');
  });

  it('are merged by PATCH and take effect within a second', async () => {
    const made = (await post('bearer', { settings: { assign_returns_receipt: true } })).body as Made;
    expect((await withToken(made)).status).toBe(200);
    const answer = await patch(`/clients/bearer/${made.id}`, { settings: { consumer_required: true } });
    expect(answer.body.settings).toEqual({ assign_returns_receipt: true, consumer_required: true });
    await until('the setting', async () => (await withToken(made)).status === 400, inForceMs);
  });
});

describe('permissions', () => {
  it.each<[string, string, (client: Client) => Promise<HttpResponse>]>([
    ['view.get_client', 'list', (client) => client.get('/clients/hmac')],
    ['view.get_client', 'read', (client) => client.get(`/clients/hmac/${retailer.hmac.id}`)],
    [
      'view.get_client',
      'list tokens of',
      (client) => client.get(`/clients/bearer/${retailer.bearer.id}/tokens`),
    ],
    ['view.post_client', 'create', (client) => client.post('/clients/hmac', aClient({ permissions: [] }))],
    ['view.patch_client', 'patch', (client) => patch('/clients/hmac/99999999', {}, client)],
  ])('requires %s to %s clients', async (permission, _what, call) => {
    const every = ['view.get_client', 'view.post_client', 'view.patch_client'];
    const without = await retailer.clientWith({ permissions: every.filter((name) => name !== permission) });
    expectError(await call(without), 403, 'permission_denied');
    const holder = await retailer.clientWith({ permissions: [permission] });
    expect([200, 201, 404]).toContain((await call(holder)).status);
    expect((await call(nobody)).status).toBe(401);
  });

  it('allows no administration with a signature that is restricted to a consumer', async () => {
    const consumer = retailer.signed({ consumer: 'jane' });
    expect((await consumer.get('/clients/hmac')).status).toBe(403);
    expect((await consumer.post('/clients/hmac', aClient())).status).toBe(403);
    expect((await patch(`/clients/hmac/${retailer.hmac.id}`, {}, consumer)).status).toBe(403);
  });
});
