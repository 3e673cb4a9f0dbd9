import { createHmac } from 'node:crypto';
import { until } from '@receipts/testing';
import type { Client, TestRetailer } from './harness/client';
import { bearerToken, signedQuery } from './harness/credentials';
import { request } from './harness/http';
import { aReceipt } from './harness/receipts';
import { anonymous, aRetailer, sharedPlatform } from './harness/shared-platform';

let retailer: TestRetailer;
let nobody: Client;
const now = () => Math.floor(Date.now() / 1000);

beforeAll(async () => {
  retailer = await aRetailer();
  nobody = await anonymous();
});

describe('bearer tokens', () => {
  const withToken = (token: string) =>
    nobody.get('/receipts', undefined, { authorization: `Bearer ${token}` });
  const expectRefused = async (token: string) => {
    const answer = await withToken(token);
    expect([answer.status, answer.body.code]).toEqual([401, 'unauthorized']);
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
  };

  it('accepts a token signed with the decoded secret, with and without exp and jti', async () => {
    expect((await withToken(bearerToken(retailer.bearer))).status).toBe(200);
    expect(
      (await withToken(bearerToken(retailer.bearer, { payload: { exp: undefined, jti: undefined } }))).status,
    ).toBe(200);
  });

  it('returns 401 for missing credentials', async () => {
    const answer = await nobody.get('/receipts');
    expect([answer.status, answer.body.code, answer.body.status]).toEqual([
      401,
      'unauthorized',
      'unauthorized',
    ]);
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
  });

  it.each<[string, { header?: object; payload?: object }]>([
    ['alg none', { header: { alg: 'none' } }],
    ['alg RS256', { header: { alg: 'RS256' } }],
    ['alg HS512', { header: { alg: 'HS512' } }],
    ['an expired token', { payload: { exp: 1_000_000 } }],
    ['exp that is a string', { payload: { exp: '9999999999' } }],
    ['exp beyond the range of numbers', { payload: { exp: 1e308 } }],
    ['a negative exp', { payload: { exp: -1 } }],
    ['a kid that is an object', { header: { kid: { $ne: null } } }],
    ['a kid that is a path', { header: { kid: '../../dev/null' } }],
    ['a very long kid', { header: { kid: 'k'.repeat(5000) } }],
    ['an unknown kid', { header: { kid: 'AAAAAAAAAAAAAAAAAAAA' } }],
    ['no kid', { header: { kid: undefined } }],
    ['a critical extension', { header: { crit: ['b64'], b64: false } }],
  ])('rejects %s', async (_what, overrides) => expectRefused(bearerToken(retailer.bearer, overrides)));

  it.each(['', 'x', 'a.b', 'a.b.c', 'a.b.c.d', '..', 'null'])('rejects "%s"', async (token) =>
    expectRefused(token),
  );

  it('rejects an unsigned or wrongly signed token', async () => {
    const [header, payload] = bearerToken(retailer.bearer).split('.') as [string, string];
    await expectRefused(`${header}.${payload}.`);
    const wrong = createHmac('sha256', 'wrong').update(`${header}.${payload}`).digest('base64url');
    await expectRefused(`${header}.${payload}.${wrong}`);
    const undecoded = createHmac('sha256', retailer.bearer.secret)
      .update(`${header}.${payload}`)
      .digest('base64url');
    await expectRefused(`${header}.${payload}.${undecoded}`);
  });

  it('rejects a payload that is not an object', async () => {
    const header = Buffer.from(
      JSON.stringify({ alg: 'HS256', typ: 'JWT', kid: retailer.bearer.key }),
    ).toString('base64url');
    for (const payload of ['"x"', '[]', 'null', '1']) {
      const signed = `${header}.${Buffer.from(payload).toString('base64url')}`;
      const key = Buffer.from(retailer.bearer.secret, 'base64');
      await expectRefused(`${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`);
    }
  });

  it('rejects tokens signed with the key of an HMAC client', async () =>
    expectRefused(bearerToken(retailer.hmac)));

  it('returns 401 for a token of another scheme', async () => {
    const answer = await nobody.get('/receipts', undefined, { authorization: 'Basic dXNlcjpwYXNz' });
    expect(answer.status).toBe(401);
  });

  it('accepts a token that expired within the leeway, but not an older token', async () => {
    expect((await withToken(bearerToken(retailer.bearer, { payload: { exp: now() - 5 } }))).status).toBe(200);
    await expectRefused(bearerToken(retailer.bearer, { payload: { exp: now() - 90 } }));
  });

  it('accepts an issued token, and rejects it within a second after it is revoked', async () => {
    const client = await retailer.api.post('/clients/bearer', {
      description: 'till',
      permissions: ['view.get_receipt'],
    });
    const issued = await retailer.api.post(`/clients/bearer/${client.body.id}/tokens`, {});
    expect(issued.status).toBe(201);
    expect(Object.keys(issued.body).sort()).toEqual(['expires', 'jti', 'token']);
    expect((await withToken(issued.body.token)).status).toBe(200);
    const revoke = `/clients/bearer/${client.body.id}/tokens/_revoke`;
    expect((await retailer.api.post(revoke, { jti: issued.body.jti })).status).toBe(204);
    await until('the revocation', async () => (await withToken(issued.body.token)).status === 401, 5_000);
    // Other tokens of the client remain valid.
    expect((await withToken(bearerToken(client.body))).status).toBe(200);
  });

  it('rejects a revoked client within a second', async () => {
    const client = await retailer.api.post('/clients/bearer', {
      description: 'till',
      permissions: ['view.get_receipt'],
    });
    const token = bearerToken(client.body);
    expect((await withToken(token)).status).toBe(200);
    await retailer.api.call(`/clients/bearer/${client.body.id}`, {
      method: 'PATCH',
      body: { revoked: true },
    });
    await until('the revocation', async () => (await withToken(token)).status === 401, 5_000);
  });

  it('requires the permission of the endpoint', async () => {
    const reader = await retailer.clientWith({ permissions: ['view.get_receipt'] });
    expect((await reader.get('/receipts')).status).toBe(200);
    const refused = await reader.post('/receipts', aReceipt());
    expect([refused.status, refused.body.code, refused.body.status]).toEqual([
      403,
      'permission_denied',
      'forbidden',
    ]);
  });
});

describe('a URL signature', () => {
  const withQuery = (query: Record<string, string | string[]>) => nobody.get('/receipts', query);
  const sign = (message: string, encoding: 'base64' | 'base64url' = 'base64') =>
    createHmac('sha256', Buffer.from(retailer.hmac.secret, 'base64')).update(message).digest(encoding);
  const expectRefused = async (query: Record<string, string | string[]>) => {
    const answer = await withQuery(query);
    expect([answer.status, answer.body.code, answer.body.status]).toEqual([
      403,
      'invalid_signature',
      'forbidden',
    ]);
    expect(answer.body.description.length).toBeGreaterThan(5);
  };

  it('is accepted with and without a consumer, in standard and URL-safe base64', async () => {
    expect((await withQuery(signedQuery(retailer.hmac))).status).toBe(200);
    expect((await withQuery(signedQuery(retailer.hmac, { consumer: 'a@b.example' }))).status).toBe(200);
    for (let n = 0; n < 20; n++) {
      const expires = String(now() + 100 + n);
      const signature = sign(`${retailer.hmac.key}\n${expires}`, 'base64url');
      expect((await withQuery({ key: retailer.hmac.key, expires, signature })).status).toBe(200);
    }
  });

  it('covers the consumer exactly as sent, including commas, order and spaces', async () => {
    expect((await withQuery(signedQuery(retailer.hmac, { consumer: 'b, a ,c' }))).status).toBe(200);
    const query = signedQuery(retailer.hmac, { consumer: 'b,a' });
    await expectRefused({ ...query, consumer: 'a,b' });
  });

  it('does not cover other arguments', async () => {
    expect((await withQuery({ ...signedQuery(retailer.hmac), count: '3' })).status).toBe(200);
  });

  it('is rejected if a consumer was added or removed after signing', async () => {
    await expectRefused({ ...signedQuery(retailer.hmac), consumer: 'x' });
    const { consumer: _consumer, ...without } = signedQuery(retailer.hmac, { consumer: 'x' });
    await expectRefused(without);
  });

  it('is rejected if a consumer is hidden in expires', async () => {
    const inOneHour = now() + 3600;
    const { signature } = signedQuery(retailer.hmac, { consumer: String(inOneHour), expires: inOneHour });
    await expectRefused({
      key: retailer.hmac.key,
      expires: `${inOneHour}\n${inOneHour}`,
      signature: signature as string,
    });
  });

  it.each<[string, () => number | string]>([
    ['in the past', () => now() - 120],
    ['more than 24 hours ahead', () => now() + 86_400 + 30],
    ['in exponent form', () => '1e10'],
    ['preceded by a space', () => ` ${now() + 100}`],
    ['preceded by a plus', () => `+${now() + 100}`],
    ['a fraction', () => `${now() + 100}.5`],
    ['empty', () => ''],
    ['a word', () => 'never'],
    ['in milliseconds', () => Date.now() + 100_000],
  ])('is rejected if its expiry is %s', async (_what, expires) =>
    expectRefused(signedQuery(retailer.hmac, { expires: expires() })),
  );

  it.each(['', 'x', 'AAAA', '%%%', 'a'.repeat(2000)])('is rejected if it is "%s"', async (signature) =>
    expectRefused({ ...signedQuery(retailer.hmac), signature }),
  );

  it('is rejected if a part is missing or its key is unknown', async () => {
    const { signature: _s, ...noSignature } = signedQuery(retailer.hmac);
    const { expires: _e, ...noExpires } = signedQuery(retailer.hmac);
    await expectRefused(noSignature);
    await expectRefused(noExpires);
    await expectRefused({ ...signedQuery(retailer.hmac), key: 'A'.repeat(20) });
    await expectRefused({ ...signedQuery(retailer.hmac), key: retailer.bearer.key });
  });

  it('is valid for no longer than its client allows', async () => {
    const body = { description: 'short', permissions: ['view.get_receipt'], signature_max_age: 60 };
    const client = (await retailer.api.post('/clients/hmac', body)).body;
    await expectRefused(signedQuery(client, { expires: now() + 200 }));
    expect((await withQuery(signedQuery(client, { expires: now() + 50 }))).status).toBe(200);
  });

  it('is rejected within a second after its client is revoked', async () => {
    const client = (
      await retailer.api.post('/clients/hmac', { description: 'x', permissions: ['view.get_receipt'] })
    ).body;
    expect((await withQuery(signedQuery(client))).status).toBe(200);
    await retailer.api.call(`/clients/hmac/${client.id}`, { method: 'PATCH', body: { revoked: true } });
    await until('the revocation', async () => (await withQuery(signedQuery(client))).status === 403, 5_000);
  });

  it('is ignored if Authorization is also given', async () => {
    const good = bearerToken(retailer.bearer);
    const bad = { ...signedQuery(retailer.hmac), signature: 'x' };
    expect((await nobody.get('/receipts', bad, { authorization: `Bearer ${good}` })).status).toBe(200);
    const refused = await nobody.get('/receipts', signedQuery(retailer.hmac), { authorization: 'Bearer x' });
    expect(refused.status).toBe(401);
  });
});

describe('the demo credentials', () => {
  it('work as a token, as a secret that signs tokens, as a URL signature, and for the operator', async () => {
    const { credentials } = sharedPlatform();
    const { baseUrl } = credentials;
    const token = { authorization: `Bearer ${credentials.bearer.token}` };
    expect((await request(baseUrl, '/receipts', { headers: token })).status).toBe(200);
    const made = {
      authorization: `Bearer ${bearerToken({ key: credentials.bearer.kid, secret: credentials.bearer.secret })}`,
    };
    expect((await request(baseUrl, '/receipts', { headers: made })).status).toBe(200);
    expect(
      (await request(baseUrl, '/receipts', { query: signedQuery(credentials.urlSignature) })).status,
    ).toBe(200);
    const operator = { authorization: `Bearer ${credentials.operator.token}` };
    expect((await request(baseUrl, '/operator/retailers', { headers: operator })).status).toBe(200);
  });
});

it("denies retailers the operator's API", async () => {
  expect((await nobody.get('/operator/retailers')).status).toBe(401);
  expect((await retailer.api.get('/operator/retailers')).status).toBe(403);
});
