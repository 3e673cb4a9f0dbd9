import { verify, type Jwt } from 'jsonwebtoken';
import { adminWorld, callOf, refusalOf, type AdminWorld } from '../../testing/admin-world';

let world: AdminWorld;
let client: { key: string; secret: string };

const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

beforeAll(async () => {
  world = await adminWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.reset();
  const created = await world.ask('createClient', {
    params: { authentication: 'bearer' },
    body: { description: 'till', permissions: ['view.get_receipt'] },
  });
  client = { ...created.body, secret: created.body.secret ?? '' };
  world.events.length = 0;
});

const params = { client_id: '1' };
const issue = async (body?: { expires_in?: number }, call = callOf()) =>
  (await world.ask('issueToken', { params, ...(body && { body }) }, call)).body;
const list = async (query: { count?: number; older?: string } = {}) =>
  (await world.ask('listTokens', { params, query })).body;
const revoke = (body: { jti?: string; all?: true }, call = callOf()) =>
  world.ask('revokeTokens', { params, body }, call);
const credential = async () =>
  (await world.ask('findCredential', { body: { key: client.key } })).body.credential;
const read = (token: string | null): Jwt =>
  verify(token ?? '', Buffer.from(client.secret, 'base64'), {
    algorithms: ['HS256'],
    complete: true,
    clockTimestamp: world.now.getTime() / 1000,
  });

describe('issueToken', () => {
  it('signs a token with the secret of the client', async () => {
    const { token, jti, expires } = await issue({ expires_in: 3600 });
    const { header, payload } = read(token);
    expect(header).toEqual({ alg: 'HS256', typ: 'JWT', kid: client.key });
    expect(payload).toEqual({ jti, iat: 1_779_012_000, exp: 1_779_015_600 });
    expect(jti).toMatch(uuidV4);
    expect(expires).toBe('2026-05-17T11:00:00.000+00:00');
  });

  it('issues tokens without an expiry by default', async () => {
    for (const answer of [await issue(), await issue({})]) {
      expect(answer.expires).toBeNull();
      expect(read(answer.token).payload).not.toHaveProperty('exp');
    }
  });

  it('rejects a revoked or unknown client, an HMAC client, and a client with more permissions', async () => {
    expect(await refusalOf(issue({}, callOf({ permissions: ['view.patch_client'] })))).toBe(
      '403 permission_denied',
    );
    expect(await refusalOf(issue({}, callOf({ retailer: 'other' })))).toBe('404 not_found');
    await world.ask('createClient', {
      params: { authentication: 'hmac' },
      body: { description: 'h', permissions: [] },
    });
    expect(await refusalOf(world.ask('issueToken', { params: { client_id: '2' } }))).toBe('404 not_found');
    await world.ask('patchClient', {
      params: { authentication: 'bearer', client_id: '1' },
      body: { revoked: true },
    });
    expect(await refusalOf(issue())).toBe('422 client_revoked');
    expect(await refusalOf(issue({ expires_in: 0 }))).toBe('422 schema_validation_failed /expires_in');
  });
});

it('does not issue a token of an unrestricted client to a caller that must name a consumer', async () => {
  const confined = callOf({ settings: { consumer_required: true } });
  expect(await refusalOf(issue({}, confined))).toBe('403 permission_denied');
  expect(await refusalOf(revoke({ all: true }, confined))).toBe('403 permission_denied');
  await world.ask('patchClient', {
    params: { authentication: 'bearer', client_id: '1' },
    body: { settings: { consumer_required: true } },
  });
  expect((await issue({}, confined)).token).toBeDefined();
});

describe('listTokens', () => {
  it('lists issued tokens, newest first, without the tokens themselves', async () => {
    const first = await issue({ expires_in: 60 });
    const second = await issue();
    const { tokens, _links } = await list();
    expect(tokens).toEqual([
      {
        jti: second.jti,
        issued: '2026-05-17T10:00:00.000+00:00',
        expires: null,
        revoked: false,
        last_used: null,
      },
      expect.objectContaining({ jti: first.jti, expires: '2026-05-17T10:01:00.000+00:00' }),
    ]);
    expect(_links).toEqual({});
    const page = await list({ count: 1 });
    expect(page._links.next?.href).toBe(`/clients/bearer/1/tokens?count=1&older=${second.jti}`);
    expect((await list({ count: 1, older: second.jti })).tokens[0]?.jti).toBe(first.jti);
    expect(await refusalOf(list({ older: 'x' }))).toBe('400 unknown_cursor /older');
  });

  it('shows when a token was last used', async () => {
    const { jti } = await issue();
    const use = (at: string) => ({ retailer: 'demo', client_id: 1, jti, at: Date.parse(at) });
    const uses = [
      use('2026-05-18T00:00:00Z'),
      use('2026-05-17T23:00:00Z'),
      { ...use('2027-01-01'), jti: 'x' },
    ];
    await world.ask('recordTokenUses', { body: { uses } });
    expect((await list()).tokens.map((token) => token.last_used)).toEqual(['2026-05-18T00:00:00.000+00:00']);
  });
});

describe('revokeTokens', () => {
  it('revokes one token, and informs the gateways', async () => {
    const { jti } = await issue();
    const other = await issue();
    await revoke({ jti });
    await revoke({ jti });
    expect(await credential()).toMatchObject({ revoked_tokens: [jti], version: 2 });
    const { tokens } = await list();
    expect(tokens.map((token) => [token.jti, token.revoked])).toEqual([
      [other.jti, false],
      [jti, true],
    ]);
    expect(world.events.map(({ type }) => type)).toEqual(['client.updated']);
  });

  it('revokes a token that the integrator has signed', async () => {
    await revoke({ jti: 'of-my-own' });
    expect(await credential()).toMatchObject({ revoked_tokens: ['of-my-own'] });
  });

  it('deletes a revocation long after the token has expired', async () => {
    const { jti } = await issue({ expires_in: 60 });
    await revoke({ jti });
    world.now = new Date('2026-07-01T00:00:00Z');
    await revoke({ jti: 'another' });
    expect(await credential()).toMatchObject({ revoked_tokens: ['another'] });
  });

  it('revokes all existing tokens, but no later tokens, even in the same second', async () => {
    const { jti } = await issue();
    await revoke({ jti });
    await issue();
    await revoke({ all: true });
    const later = await issue();
    const before = (await credential())?.tokens_revoked_before ?? 0;
    expect(before).toBe(1_779_012_001);
    expect((read(later.token).payload as { iat: number }).iat).toBe(before);
    expect((await list()).tokens.map(({ revoked }) => revoked)).toEqual([false, true, true]);
    expect(await credential()).toMatchObject({ revoked_tokens: [jti] });
  });

  it('keeps the ids of revoked tokens until they have long expired, even after all tokens were revoked', async () => {
    const { jti } = await issue({ expires_in: 60 });
    await revoke({ jti });
    await revoke({ jti: 'says-that-it-was-issued-later' });
    await revoke({ all: true });
    expect((await credential())?.revoked_tokens).toEqual([jti, 'says-that-it-was-issued-later']);
    world.now = new Date('2026-07-01T00:00:00Z');
    await revoke({ all: true });
    expect((await credential())?.revoked_tokens).toEqual(['says-that-it-was-issued-later']);
  });

  it('requires exactly one of jti and all, and rejects a client with more permissions', async () => {
    expect(await refusalOf(revoke({}))).toBe('422 schema_validation_failed /jti');
    expect(await refusalOf(revoke({ jti: 'x', all: true }))).toBe('422 schema_validation_failed /all');
    const weak = callOf({ permissions: ['view.patch_client'] });
    expect(await refusalOf(revoke({ all: true }, weak))).toBe('403 permission_denied');
  });
});
