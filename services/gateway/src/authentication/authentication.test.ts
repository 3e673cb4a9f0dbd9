import { createHmac, generateKeyPairSync } from 'node:crypto';
import type { Credential } from '@receipts/contracts';
import { sign } from 'jsonwebtoken';
import {
  bearer,
  credential,
  hmacCredential,
  hmacKey,
  nowSeconds,
  operatorToken,
  secret,
  signed,
  startHarness,
  type ErrorBody,
  type Harness,
} from '../testing/harness';

let gateway: Harness;
beforeEach(async () => {
  gateway = await startHarness();
});
afterEach(() => gateway.close());

async function get(
  path: string,
  authorization?: string,
): Promise<{ status: number; body: ErrorBody; response: Response }> {
  const response = await fetch(gateway.url + path, {
    headers: authorization === undefined ? {} : { authorization },
  });
  return { status: response.status, body: (await response.json()) as ErrorBody, response };
}

const withToken = async (token: string) => (await get('/things', `Bearer ${token}`)).status;

const descriptionOf = async (token: string) => {
  const { status, body } = await get('/things', `Bearer ${token}`);
  expect(status).toBe(401);
  return body.description;
};

/** Changes a client, and publishes the event. */
function change(changed: Credential): void {
  gateway.admin.credentials.set(changed.key, changed);
  gateway.book.follow({ retailer: changed.retailer, data: changed });
}

const part = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** A token with a valid signature over any header and payload. */
function forged(header: unknown, payload: unknown, algorithm = 'sha256'): string {
  const text = `${part(header)}.${part(payload)}`;
  const signature = createHmac(algorithm, Buffer.from(secret, 'base64')).update(text).digest('base64url');
  return `${text}.${signature}`;
}

const header = { alg: 'HS256', typ: 'JWT', kid: 'kid-1' };

describe('bearer tokens', () => {
  it('are accepted with and without an expiry, in any spelling of the scheme', async () => {
    expect(await withToken(bearer())).toBe(200);
    expect(await withToken(bearer({}, { expiresIn: 60 }))).toBe(200);
    expect((await get('/things', `bearer ${bearer()}`)).status).toBe(200);
    expect(await withToken(forged({ alg: 'HS256', kid: 'kid-1' }, {}))).toBe(200);
  });

  it('are accepted up to the leeway after their expiry', async () => {
    expect(await withToken(bearer({ exp: nowSeconds() - 10 }))).toBe(200);
    expect(await withToken(bearer({ exp: nowSeconds() - 61 }))).toBe(401);
  });

  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const exp = 'is malformed: exp must be a Unix timestamp in whole seconds';
  const alg = 'is malformed: alg must be HS256';
  const claims = 'is malformed: its header or payload is invalid';
  const object = 'is malformed: its payload must be an object';
  const kid = 'is malformed: kid must be 1 to 64 letters, digits, "-" and "_"';
  const parts = 'is malformed: it must be a JSON Web Token of three parts';
  const forgery = 'is invalid';
  const hostile: readonly (readonly [name: string, token: () => string, reason: string])[] = [
    ['alg none', () => `${part({ ...header, alg: 'none' })}.${part({})}.`, parts],
    ['alg none with a signature', () => forged({ ...header, alg: 'none' }, {}), alg],
    ['alg None', () => forged({ ...header, alg: 'hs256' }, {}), alg],
    ['HS512 with the right secret', () => bearer({}, { algorithm: 'HS512' }), alg],
    ['RS256', () => sign({}, privateKey, { algorithm: 'RS256', keyid: 'kid-1' }), alg],
    ['exp as a string', () => forged(header, { exp: String(nowSeconds() + 60) }), claims],
    ['exp 1e308', () => forged(header, '{"exp":1e308}'), exp],
    ['exp 1e400', () => forged(header, '{"exp":1e400}'), exp],
    ['exp in milliseconds', () => forged(header, { exp: Date.now() + 60_000 }), exp],
    ['exp with a fraction', () => forged(header, { exp: nowSeconds() + 60.5 }), exp],
    ['exp null', () => forged(header, { exp: null }), claims],
    ['exp negative', () => forged(header, { exp: -1 }), 'has expired'],
    ['exp long ago', () => bearer({ exp: nowSeconds() - 61 }), 'has expired'],
    ['nbf ahead', () => forged(header, { nbf: nowSeconds() + 120 }), 'is not valid yet'],
    ['nbf as a string', () => forged(header, { nbf: '1' }), claims],
    ['a string for a payload', () => forged(header, '"payload"'), object],
    ['an array for a payload', () => forged(header, []), object],
    ['null for a payload', () => forged(header, 'null'), claims],
    ['a payload that is not JSON', () => forged(header, '{'), claims],
    ['jti a number', () => forged(header, { jti: 1 }), 'is malformed: jti must be a string'],
    ['iat a string', () => forged(header, { iat: '1' }), 'is malformed: iat must be a number'],
    [
      'an unknown critical extension',
      () => forged({ ...header, crit: ['x'], x: 1 }, {}),
      'is malformed: crit is not supported',
    ],
    ['an empty crit', () => forged({ ...header, crit: [] }, {}), 'is malformed: crit is not supported'],
    ['another typ', () => forged({ ...header, typ: 'JWE' }, {}), 'is malformed: typ must be JWT'],
    ['kid an object', () => forged({ ...header, kid: { $ne: null } }, {}), kid],
    ['kid an array', () => forged({ ...header, kid: ['kid-1'] }, {}), kid],
    ['kid a path', () => forged({ ...header, kid: '../../dev/null' }, {}), kid],
    ['kid of 65 characters', () => forged({ ...header, kid: 'k'.repeat(65) }, {}), kid],
    ['no kid', () => forged({ alg: 'HS256', typ: 'JWT' }, {}), kid],
    ['unknown kid', () => forged({ ...header, kid: 'kid-2' }, {}), 'has an unknown key (kid)'],
    ['the key of a URL signature', () => forged({ ...header, kid: hmacKey }, {}), 'has an unknown key (kid)'],
    ['a header that is an array', () => forged([header], {}), alg],
    ['a header that is not JSON', () => forged('{', {}), 'is malformed: its header is not JSON'],
    ['another secret', () => bearer({}, { key: Buffer.alloc(32).toString('base64') }), forgery],
    [
      'another secret, long expired',
      () => bearer({ exp: nowSeconds() - 100 }, { key: Buffer.alloc(32).toString('base64') }),
      forgery,
    ],
    ['the secret undecoded', () => sign({}, secret, { algorithm: 'HS256', keyid: 'kid-1' }), forgery],
    ['a changed payload', () => bearer().replace(/\.[^.]+\./, `.${part({ jti: 'x' })}.`), forgery],
    [
      'an issue more than a minute ahead',
      () => bearer({ iat: nowSeconds() + 65 }),
      'was issued in the future (iat)',
    ],
    ['two parts', () => bearer().split('.').slice(0, 2).join('.'), parts],
    ['four parts', () => `${bearer()}.x`, parts],
    ['padding', () => `${bearer()}=`, parts],
    ['junk', () => 'junk', parts],
  ];
  it.each(hostile)('are refused with %s', async (_name, token, reason) => {
    const { status, body, response } = await get('/things', `Bearer ${token()}`);
    expect(status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    expect(body).toEqual({
      description: `the bearer token ${reason}`,
      status: 'unauthorized',
      code: 'unauthorized',
      doc_url: '/docs/errors/unauthorized',
      request_id: response.headers.get('request-id'),
    });
    expect(gateway.broker.received).toEqual([]);
  });

  it('are accepted from an issuer whose clock is up to a minute ahead', async () => {
    expect(await withToken(bearer({ iat: nowSeconds() + 60 }))).toBe(200);
  });

  it('with an invalid kid cause no request to admin', async () => {
    await withToken(forged({ ...header, kid: { $ne: null } }, {}));
    await withToken(forged({ ...header, kid: '../../dev/null' }, {}));
    expect(gateway.admin.found).toBe(0);
  });

  it('are rejected after the token, all tokens or the client are revoked', async () => {
    const token = bearer({ jti: 'a', iat: nowSeconds() - 100 });
    const other = bearer({ jti: 'b', iat: nowSeconds() });
    expect(await withToken(token)).toBe(200);
    change(credential({ version: 2, revoked_tokens: ['a'] }));
    expect([await withToken(token), await withToken(other)]).toEqual([401, 200]);
    expect(await descriptionOf(token)).toBe('the bearer token is revoked');
    const before = nowSeconds() - 50;
    change(credential({ version: 3, tokens_revoked_before: before }));
    const undated = bearer({ jti: 'c' }, { noTimestamp: true });
    expect([await withToken(token), await withToken(undated), await withToken(other)]).toEqual([
      401, 401, 200,
    ]);
    gateway.admin.fails = true;
    change(credential({ version: 4, revoked: true }));
    expect(await descriptionOf(other)).toBe('the bearer token has a revoked key (kid)');
    const forgedToken = bearer({}, { key: Buffer.alloc(32).toString('base64') });
    expect(await descriptionOf(forgedToken)).toBe('the bearer token is invalid');
  });

  it('use a changed key, and the current permissions', async () => {
    gateway.admin.credentials.delete('kid-1');
    change(credential({ version: 2, key: 'kid-new', permissions: ['view.post_thing'] }));
    expect(await withToken(bearer())).toBe(401);
    const { status, body } = await get('/things', `Bearer ${bearer({}, { keyid: 'kid-new' })}`);
    expect([status, body.code]).toEqual([403, 'permission_denied']);
  });

  it('are not accepted with a version before the last event while admin is silent', async () => {
    expect(await withToken(bearer())).toBe(200);
    gateway.admin.fails = true;
    change(credential({ version: 2, permissions: [] }));
    expect(await withToken(bearer())).toBe(503);
    gateway.admin.fails = false;
    expect(await withToken(bearer())).toBe(403);
    // An event that arrives late changes nothing.
    gateway.admin.fails = true;
    gateway.book.follow({ retailer: 'demo', data: credential({ version: 1 }) });
    expect(await withToken(bearer())).toBe(403);
  });

  it('are not accepted with a version that was read before the last event', async () => {
    const outdated = gateway.admin.credentials.get('kid-1') as Credential;
    const revoked = credential({ version: 3, revoked: true });
    const find = jest.spyOn(gateway.admin, 'find');
    change(credential({ version: 2 }));
    // The query is on its way when the next event arrives.
    find.mockImplementationOnce(async () => {
      change(revoked);
      return outdated;
    });
    expect(await descriptionOf(bearer())).toBe('the bearer token has a revoked key (kid)');
    // The same for a page of the snapshot.
    jest.spyOn(gateway.admin, 'list').mockImplementationOnce(async () => {
      change(credential({ version: 4 }));
      return { credentials: [credential({ version: 2, permissions: [] })], next: null };
    });
    await gateway.book.copy.readAll();
    expect(await withToken(bearer())).toBe(200);
    find.mockResolvedValue(outdated);
    change(credential({ version: 5 }));
    expect(await withToken(bearer())).toBe(503);
  });

  it('work with a key that another client had before', async () => {
    const { book, admin } = gateway;
    admin.credentials.delete('kid-1');
    change(credential({ version: 5, key: 'kid-new' }));
    // An event of the former owner that arrives late.
    book.follow({ retailer: 'demo', data: credential({ version: 4 }) });
    change(credential({ id: 7, version: 1 }));
    expect(await withToken(bearer())).toBe(200);
  });

  it('with an unknown credential cause one request, and are cached as unknown for a while', async () => {
    gateway.admin.credentials.set('kid-9', credential({ id: 9, key: 'kid-9' }));
    const token = bearer({}, { keyid: 'kid-9' });
    expect(await Promise.all([withToken(token), withToken(token), withToken(token)])).toEqual([
      200, 200, 200,
    ]);
    expect(gateway.admin.found).toBe(1);
    const unknown = bearer({}, { keyid: 'kid-x' });
    expect([await withToken(unknown), await withToken(unknown)]).toEqual([401, 401]);
    expect(gateway.admin.found).toBe(2);
  });

  it('with an unknown credential cause 503 while admin is unavailable', async () => {
    gateway.admin.fails = true;
    const { status } = await get('/things', `Bearer ${bearer({}, { keyid: 'kid-x' })}`);
    expect(status).toBe(503);
  });
});

describe('a request without credentials', () => {
  it.each(['/things', '/things?consumer=x', '/operator/things'])('gets 401 on %s', async (path) => {
    const { status, body, response } = await get(path);
    expect([status, body.code, response.headers.get('www-authenticate')]).toEqual([
      401,
      'unauthorized',
      'Bearer',
    ]);
  });

  it('gets an error that says so', async () => {
    expect((await get('/things')).body.description).toBe('credentials are missing');
    expect((await get('/operator/things')).body.description).toBe('credentials are missing');
  });

  it.each([
    ['Basic eDp5', 'Bearer'],
    ['Bearer', 'Bearer error="invalid_token"'],
    ['Bearer ', 'Bearer error="invalid_token"'],
    ['Bearer a b', 'Bearer error="invalid_token"'],
    ['Token x', 'Bearer'],
    ['', 'Bearer'],
  ])('gets a different error for the malformed header "%s"', async (authorization, challenge) => {
    const { status, body, response } = await get('/things', authorization);
    expect([status, body.description, response.headers.get('www-authenticate')]).toEqual([
      401,
      'the Authorization header is malformed: it must be "Bearer <token>"',
      challenge,
    ]);
  });

  it('can call public routes', async () => {
    expect((await get('/public/things')).status).toBe(200);
  });
});

describe('the operator', () => {
  it('has its own token', async () => {
    expect((await get('/operator/things', `Bearer ${operatorToken}`)).status).toBe(200);
    expect(gateway.broker.last.call).toMatchObject({
      retailer: '',
      principal: { kind: 'operator', id: 'operator' },
    });
  });

  it('has no retailer', async () => {
    const wrong = await get('/operator/things', `Bearer ${operatorToken}x`);
    expect([wrong.status, wrong.body.description]).toEqual([401, 'the bearer token is invalid']);
    expect(wrong.response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    const client = await get('/operator/things', `Bearer ${bearer()}`);
    expect([client.status, client.body.description]).toEqual([
      403,
      "permission denied: the operator's token is required",
    ]);
    expect((await get(`/operator/things?${signed()}`)).status).toBe(401);
    expect((await get('/things', `Bearer ${operatorToken}`)).status).toBe(401);
  });
});

describe('URL signatures', () => {
  const withArgs = async (args: URLSearchParams | string) => get(`/things?${args}`);

  it('are accepted, with and without a consumer', async () => {
    expect((await withArgs(signed())).status).toBe(200);
    expect(gateway.broker.last.call.consumers).toBeUndefined();
    expect((await withArgs(signed({ consumer: 'b,a' }))).status).toBe(200);
    const { call, request } = gateway.broker.last;
    expect(call).toMatchObject({ consumers: ['b', 'a'], principal: { kind: 'client', id: 'hmac:2' } });
    expect(request.query).toEqual({ count: 20, consumer: ['b', 'a'] });
  });

  it('cover the consumer exactly as it is sent', async () => {
    const consumer = ' Ä+b&=%,x ';
    expect((await withArgs(signed({ consumer }))).status).toBe(200);
    expect(gateway.broker.last.call.consumers).toEqual([' Ä+b&=%', 'x ']);
  });

  it('are accepted in URL-safe base64 and without padding, and are not passed on as a parameter', async () => {
    const args = signed();
    const signature = args.get('signature') ?? '';
    args.set('signature', Buffer.from(signature, 'base64').toString('base64url'));
    expect((await get(`/things/_search?query=x&${args}`)).status).toBe(200);
  });

  it('are ignored if there is an Authorization header', async () => {
    const args = signed({ consumer: 'a' });
    args.set('signature', 'junk');
    expect((await get(`/things?${args}`, `Bearer ${bearer()}`)).status).toBe(200);
    expect((await get(`/things?${signed()}`, 'Bearer junk')).status).toBe(401);
  });

  const changed = (name: string, value: string, consumer?: string) => {
    const args = signed(consumer === undefined ? {} : { consumer });
    args.set(name, value);
    return args;
  };
  const without = (name: string, consumer?: string) => {
    const args = signed(consumer === undefined ? {} : { consumer });
    args.delete(name);
    return args;
  };
  const twice = (name: string) => {
    const args = signed();
    args.append(name, args.get(name) ?? '');
    return args;
  };
  const withAnother = (name: string, value: string, consumer: string) => {
    const args = signed({ consumer });
    args.append(name, value);
    return args;
  };
  const stripped = () => {
    // If `expires` could contain a consumer, the text signed with a consumer would equal one signed without a consumer.
    const args = signed({ consumer: '1234567890' });
    args.set('expires', `1234567890\n${args.get('expires') ?? ''}`);
    args.delete('consumer');
    return args;
  };
  const moved = () => {
    const args = signed({ consumer: 'a' });
    args.set('key', `${hmacKey}\na`);
    args.delete('consumer');
    return args;
  };
  const hostile: readonly (readonly [name: string, args: () => URLSearchParams])[] = [
    ['an empty signature', () => changed('signature', '')],
    ['a short signature', () => changed('signature', 'YWJj')],
    ['a signature that is not base64', () => changed('signature', '!'.repeat(44))],
    ['a signature of 33 bytes', () => changed('signature', Buffer.alloc(33).toString('base64'))],
    ['a long signature', () => changed('signature', 'A'.repeat(2_000))],
    ['another signature', () => changed('signature', Buffer.alloc(32).toString('base64'))],
    ['a signature with stray bits', () => changed('signature', `${'A'.repeat(42)}B=`)],
    ['no signature', () => without('signature')],
    ['no key', () => without('key')],
    ['no expires', () => without('expires')],
    ['an unknown key', () => signed({ key: 'signature-key-000002' })],
    ['the kid of a bearer client', () => signed({ key: 'kid-1' })],
    ['a key of 10,000 characters', () => changed('key', 'k'.repeat(3_000))],
    ['the consumer taken away', () => without('consumer', 'a')],
    ['another consumer', () => changed('consumer', 'b', 'a')],
    ['the consumers in another order', () => changed('consumer', 'b,a', 'a,b')],
    ['a consumer put in', () => changed('consumer', 'a')],
    ['two consumers', () => withAnother('consumer', 'b', 'a')],
    ['the consumer again in another order', () => withAnother('consumer', 'b,a', 'a,b')],
    ['two keys', () => twice('key')],
    ['two signatures', () => twice('signature')],
    ['two expiries', () => twice('expires')],
    ['the consumer moved into expires', stripped],
    ['the consumer moved into the key', moved],
    ['a line break in the consumer', () => signed({ consumer: 'a\nb' })],
    ['an expiry in the past', () => signed({ expires: nowSeconds() - 1 })],
    ['an expiry now', () => signed({ expires: nowSeconds() })],
    ['an expiry more than 24 hours ahead', () => signed({ expires: nowSeconds() + 86_402 })],
    ['an expiry with an exponent', () => signed({ expires: '1e10' })],
    ['an expiry with a space', () => signed({ expires: ` ${nowSeconds() + 60}` })],
    ['an expiry with a sign', () => signed({ expires: `+${nowSeconds() + 60}` })],
    ['an expiry with a fraction', () => signed({ expires: `${nowSeconds() + 60}.5` })],
    ['an expiry in hexadecimal', () => signed({ expires: `0x${(nowSeconds() + 60).toString(16)}` })],
    ['an expiry of 13 digits', () => signed({ expires: `000${nowSeconds() + 60}` })],
    ['an expiry in other digits', () => signed({ expires: '١٢٣' })],
    ['an empty expiry', () => signed({ expires: '' })],
  ];
  it.each(hostile)('are refused with %s', async (_name, args) => {
    const { status, body, response } = await withArgs(args());
    expect([status, body.status, body.code]).toEqual([403, 'forbidden', 'invalid_signature']);
    expect(body.description).toMatch(/^the URL signature is invalid: ./);
    expect(response.headers.get('www-authenticate')).toBeNull();
    expect(gateway.broker.received).toEqual([]);
  });

  it('respect the limit of their client', async () => {
    change(hmacCredential({ version: 2, signature_max_age: 60 }));
    expect((await withArgs(signed({ expires: nowSeconds() + 55 }))).status).toBe(200);
    expect((await withArgs(signed({ expires: nowSeconds() + 65 }))).status).toBe(403);
  });

  it('are rejected with 403 if the client is revoked', async () => {
    change(hmacCredential({ version: 2, revoked: true }));
    expect((await withArgs(signed())).status).toBe(403);
  });

  it.each(['', 'a,', ',', 'a,b,c,d,e,f'])(
    'are rejected with 400 for the consumers "%s"',
    async (consumer) => {
      const { status, body } = await get(`/things/_search?query=x&${signed({ consumer })}`);
      expect([status, body.code]).toEqual([400, 'invalid_parameter']);
    },
  );

  it('create objects for their own consumers only', async () => {
    const post = async (consumer: string | undefined, name: string) => {
      const response = await fetch(
        `${gateway.url}/things?${signed(consumer === undefined ? {} : { consumer })}`,
        {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ name, total: 1 }),
        },
      );
      return [response.status, ((await response.json()) as { code?: string }).code];
    };
    expect(await post('a,b', 'b')).toEqual([201, undefined]);
    expect(await post(undefined, 'c')).toEqual([201, undefined]);
    const reached = gateway.broker.received.length;
    expect(await post('a,b', 'c')).toEqual([403, 'consumer_mismatch']);
    expect(await post('a', 'A')).toEqual([403, 'consumer_mismatch']);
    expect(gateway.broker.received).toHaveLength(reached);
  });

  it('require a consumer if the client requires one', async () => {
    const demanding = hmacCredential({ version: 2, settings: { consumer_required: true } });
    change(demanding);
    const { status, body } = await withArgs(signed());
    expect([status, body.code, body.errors?.[0]?.path]).toEqual([400, 'invalid_parameter', '/consumer']);
    expect((await withArgs(signed({ consumer: 'a' }))).status).toBe(200);
    expect((await get(`/things/_search?query=x&${signed()}`)).status).toBe(200);
  });
});
