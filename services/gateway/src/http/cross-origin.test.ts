import { ServiceError, unavailable } from '@receipts/kernel';
import { authorization, hmacKey, signed, startHarness, type Harness } from '../testing/harness';
import { refusal } from '../testing/client';

const origin = 'https://shop.example';

let gateway: Harness;
let originsOf: (retailer: string) => Promise<readonly string[]>;

beforeEach(async () => {
  originsOf = (retailer) => Promise.resolve(retailer === 'demo' ? [origin] : []);
  gateway = await startHarness({ originsOf: (retailer) => originsOf(retailer) });
});
afterEach(() => gateway.close());

const preflight = (path: string, from = origin, method = 'GET') =>
  fetch(gateway.url + path, {
    method: 'OPTIONS',
    headers: {
      origin: from,
      'access-control-request-method': method,
      'access-control-request-headers': 'service-api-version',
    },
  });
const get = (path: string, headers: Record<string, string> = { origin }) =>
  fetch(gateway.url + path, { headers });
const corsHeaders = ({ headers }: Response) => ({
  origin: headers.get('access-control-allow-origin'),
  credentials: headers.get('access-control-allow-credentials'),
  vary: headers.get('vary'),
});
const allowed = { origin, credentials: null, vary: 'origin' };
const blocked = { ...allowed, origin: null };

describe('preflights', () => {
  it.each([
    ['a read', `/things/1?key=${hmacKey}`, 'GET', 'GET'],
    ['a read with versions', `/things?${signed().toString()}`, 'GET', 'GET'],
    ['a command for pages', `/things/1/_poke?key=${hmacKey}`, 'POST', 'POST'],
    ['another method of a path that has a read', `/things/1?key=${hmacKey}`, 'PATCH', 'GET'],
  ])('of %s list the methods for pages', async (_what, path, method, methods) => {
    const answer = await preflight(path, origin, method);
    expect([answer.status, await answer.text()]).toEqual([204, '']);
    expect(corsHeaders(answer)).toEqual(allowed);
    expect(answer.headers.get('access-control-allow-methods')).toBe(methods);
    expect(answer.headers.get('access-control-allow-headers')).toBe(
      'content-type, idempotency-key, if-none-match, request-id, service-api-version, traceparent',
    );
    expect(answer.headers.get('access-control-max-age')).toBe('600');
  });

  it.each([
    ['another origin', `/things/1?key=${hmacKey}`, 'https://evil.example'],
    ['an origin that only has the same prefix', `/things/1?key=${hmacKey}`, `${origin}.evil.example`],
    ['an opaque origin', `/things/1?key=${hmacKey}`, 'null'],
    ['an unknown key', '/things/1?key=unknown', origin],
    ['the key of a bearer client', '/things/1?key=kid-1', origin],
    ['no key', '/things/1', origin],
  ])('with %s cause 403', async (_what, path, from) => {
    const answer = await preflight(path, from);
    expect(corsHeaders(answer)).toEqual(blocked);
    expect(await refusal(answer)).toMatchObject({ http: 403, code: 'origin_not_allowed' });
  });

  it.each(['/blobs', '/operator/things', '/public/things', '/nothing'])(
    'of %s, which pages cannot call, are handled as usual',
    async (path) => {
      const answer = await preflight(`${path}?key=${hmacKey}`, origin, 'POST');
      expect([405, 404]).toContain(answer.status);
      expect(corsHeaders(answer)).toEqual({ ...blocked, vary: null });
    },
  );

  it('cause 503 while the settings cannot be read', async () => {
    originsOf = () => Promise.reject(new ServiceError(unavailable));
    expect((await preflight(`/things/1?key=${hmacKey}`)).status).toBe(503);
  });
});

describe('responses to signed requests', () => {
  it('are readable by an allowed origin, with their headers', async () => {
    const answer = await get(`/things/1?${signed().toString()}`);
    expect(answer.status).toBe(200);
    expect(corsHeaders(answer)).toEqual(allowed);
    const exposed = answer.headers.get('access-control-expose-headers')?.split(', ');
    expect(exposed).toEqual(
      expect.arrayContaining(['request-id', 'location', 'retry-after', 'link', 'etag']),
    );
  });

  it('are readable by an allowed origin even if they are errors', async () => {
    const expired = await get(`/things/1?${signed({ expires: 1 }).toString()}`);
    expect([expired.status, corsHeaders(expired)]).toEqual([403, allowed]);
    const unknown = await get(`/things/1?${signed().toString()}&utm_source=mail`);
    expect([unknown.status, corsHeaders(unknown)]).toEqual([400, allowed]);
  });

  it('vary on the origin and the version if the route has versions', async () => {
    const answer = await get(`/things?${signed().toString()}`);
    expect(corsHeaders(answer)).toEqual({ ...allowed, vary: 'origin, service-api-version' });
  });

  it.each([
    ['another origin', { origin: 'https://evil.example' }],
    ['no origin', {}],
  ])('with %s get no CORS headers', async (_what, headers) => {
    const answer = await get(`/things/1?${signed().toString()}`, headers as Record<string, string>);
    expect([answer.status, corsHeaders(answer)]).toEqual([200, blocked]);
  });

  it('get no CORS headers while the settings cannot be read', async () => {
    originsOf = () => Promise.reject(new ServiceError(unavailable));
    const answer = await get(`/things/1?${signed().toString()}`);
    expect([answer.status, corsHeaders(answer)]).toEqual([200, blocked]);
  });

  it('have CORS headers even if the request is rejected before routing', async () => {
    const query = signed().toString();
    const long = await get(`/things/1?${query}&x=${'x'.repeat(5_000)}`);
    expect([long.status, corsHeaders(long)]).toEqual([414, allowed]);
    const large = await get(`/things/1?${query}`, { origin, 'x-large': 'x'.repeat(9_000) });
    expect([large.status, corsHeaders(large)]).toEqual([413, allowed]);
    const stranger = await get(`/things/1?${query}&x=${'x'.repeat(5_000)}`, {
      origin: 'https://evil.example',
    });
    expect([stranger.status, corsHeaders(stranger)]).toEqual([414, blocked]);
  });

  it('have CORS headers even if there are too many requests', async () => {
    await gateway.close();
    gateway = await startHarness({
      originsOf: (retailer) => originsOf(retailer),
      requests: { requestsMax: 0, loopLagMsMax: 0 },
    });
    const answer = await get(`/things/1?${signed().toString()}`);
    expect([answer.status, corsHeaders(answer)]).toEqual([503, allowed]);
  });

  it('for commands that pages may not call get no CORS headers', async () => {
    const answer = await fetch(`${gateway.url}/things?${signed().toString()}`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: '{"name":"x","total":1}',
    });
    expect([answer.status, corsHeaders(answer)]).toEqual([201, { ...blocked, vary: null }]);
  });
});

it('sends no CORS headers for a bearer token, even with a key in the query', async () => {
  const answer = await get(`/things/1?key=${hmacKey}`, { origin, ...authorization() });
  expect([answer.status, corsHeaders(answer)]).toEqual([200, { ...blocked, vary: null }]);
});
