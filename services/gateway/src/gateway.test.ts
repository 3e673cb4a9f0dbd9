import { ServiceError } from '@receipts/kernel';
import { until } from '@receipts/testing';
import { Backlog } from './http/upstream';
import type { Contracts } from './http/routes';
import { clientOf, goodThing as good, jsonHeaders as json } from './testing/client';
import { testContracts } from './testing/contracts';
import { webContracts } from './testing/web-contracts';
import {
  authorization,
  bearer,
  credential,
  errorOf,
  sendRaw,
  signed,
  startHarness,
  type ErrorBody,
  type Harness,
} from './testing/harness';

let gateway: Harness;
beforeAll(async () => {
  gateway = await startHarness();
});
afterAll(() => gateway.close());

const { get, post, answerWith } = clientOf(() => gateway);
beforeEach(() => answerWith('{"id":"1"}'));

describe('a command that its owner handles', () => {
  it('passes the original bytes to the owner, and returns the reply', async () => {
    const body = '{ "name": "x",  "total": 1.0 }';
    const response = await post('/things', body, { 'idempotency-key': 'k1', 'request-id': 'my-1' });
    expect(response.status).toBe(201);
    expect(await response.text()).toBe('{"id":"1"}');
    expect(response.headers.get('location')).toBe('/things/1');
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('request-id')).toBe('my-1');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(response.headers.get('traceparent')).toMatch(/^00-/);
    const { kind, name, request, call } = gateway.broker.last;
    expect([kind, name, request.body.toString(), request.contentType]).toEqual([
      'asked',
      'things.create-thing',
      body,
      'application/json',
    ]);
    expect(call).toMatchObject({
      requestId: 'my-1',
      retailer: 'demo',
      principal: { kind: 'client', id: 'bearer:1' },
      idempotencyKey: 'k1',
    });
    expect(call.deadline - call.at).toBe(4_000);
    expect(call.permissions).toBeUndefined();
  });

  it('marks a replayed response', async () => {
    gateway.broker.answer = () => ({ meta: { id: '1' }, replayed: true, body: Buffer.from('{"id":"1"}') });
    const response = await post('/things', '{"name":"x","total":1}', { 'idempotency-key': 'k1' });
    expect(response.headers.get('idempotent-replayed')).toBe('true');
  });

  it('returns an error from the owner in the interface’s error body', async () => {
    gateway.broker.answer = () => {
      throw new ServiceError(
        { status: 409, code: 'duplicate', description: 'it exists' },
        { extra: { id: '7' }, internal: 'hidden' },
      );
    };
    const response = await post('/things', '{"name":"x","total":1}');
    expect(response.status).toBe(409);
    expect(await response.json()).toEqual({
      description: 'it exists',
      status: 'conflict',
      code: 'duplicate',
      doc_url: '/docs/errors/duplicate',
      id: '7',
      request_id: response.headers.get('request-id'),
    });
  });

  it('returns 500 if the owner returns a header that cannot be sent, and keeps running', async () => {
    for (const answer of [
      () => ({ meta: { id: 'a\nb' }, body: Buffer.from('{}') }),
      () => {
        throw new ServiceError({ status: 409, description: 'x' }, { headers: { 'x-bad': 'a\r\nb: c' } });
      },
    ]) {
      gateway.broker.answer = answer;
      const response = await post('/things', '{"name":"x","total":1}');
      expect([response.status, response.headers.get('b')]).toEqual([500, null]);
    }
  });

  it('returns a 500 without details for an unexpected error', async () => {
    gateway.broker.answer = () => {
      throw new Error('host db-1 is down');
    };
    const response = await post('/things', '{"name":"x","total":1}');
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('db-1');
  });
});

describe('every response', () => {
  it('has a request id, and a new id if the given id is invalid', async () => {
    for (const id of ['a b', 'x'.repeat(129), '<script>']) {
      expect((await get('/things/1', { 'request-id': id })).headers.get('request-id')).toMatch(
        /^[0-9a-f]{24}$/,
      );
    }
  });

  it('is logged once, without query, body or credentials', async () => {
    const before = gateway.lines.length;
    await get('/things?name=secret-name', { 'request-id': 'logged-1' });
    const lines = gateway.lines.slice(before);
    expect(lines.map(({ msg }) => msg)).toEqual(['request']);
    expect(lines[0]?.fields).toMatchObject({
      request_id: 'logged-1',
      method: 'GET',
      route: '/things',
      status: 200,
      retailer: 'demo',
      principal: 'bearer:1',
    });
    expect(JSON.stringify(lines)).not.toContain('secret-name');
  });
});

describe('a request during overload', () => {
  it.each(['blocked', 'down'] as const)(
    'is immediately rejected with 503 while the broker is %s, and its body is not read',
    async (state) => {
      gateway.broker.state = state;
      const head = `POST /things HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization().authorization}\r\n`;
      const answer = await sendRaw(gateway.port, [
        `${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n`,
      ]);
      gateway.broker.state = 'up';
      expect(answer).toMatch(/^HTTP\/1\.1 503/);
      expect(answer).toMatch(/\r\nretry-after: [3-7]\r\n/);
      expect(answer.toLowerCase()).toContain('connection: close');
      expect(errorOf(answer)).toMatchObject({ status: 'service unavailable', code: 'unavailable' });
    },
  );

  it('is rejected with 429 for a credential with too many requests of the same kind', async () => {
    // Two concurrent reads and one more every ten minutes, so that a slow test has the same result.
    const rates = { readsPerSecond: 1 / 600, writesPerSecond: 100, burstSeconds: 1_200 };
    const slow = await startHarness({ rates });
    const statuses: number[] = [];
    let last: Response | undefined;
    for (let i = 0; i < 3; i++) {
      last = await fetch(`${slow.url}/things/1`, { headers: authorization() });
      statuses.push(last.status);
    }
    expect(statuses).toEqual([200, 200, 429]);
    expect(last?.headers.get('retry-after')).toMatch(/^(600|5\d\d)$/);
    expect(last?.headers.get('ratelimit-policy')).toBe('"reads";q=2;w=1200');
    expect(last?.headers.get('ratelimit')).toMatch(/^"reads";r=0;t=1[12]\d\d$/);
    expect((await last?.json()) as ErrorBody).toMatchObject({
      status: 'too many requests',
      code: 'rate_limited',
    });
    const write = await fetch(`${slow.url}/things`, {
      method: 'POST',
      headers: { ...authorization(), ...json },
      body: good,
    });
    expect(write.status).toBe(201);
    const other = await fetch(`${slow.url}/things/1?${signed()}`);
    expect(other.status).toBe(200);
    await slow.close();
  });

  it('is rejected with 503 while the maximum number of requests is in progress', async () => {
    const small = await startHarness({ requests: { requestsMax: 1, loopLagMsMax: 0 } });
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const begun = new Promise<void>((resolve) => {
      small.broker.answer = async () => {
        resolve();
        await held;
        return { body: Buffer.from('{}') };
      };
    });
    const first = fetch(`${small.url}/things/1`, { headers: authorization() });
    await begun;
    expect((await fetch(`${small.url}/things/1`, { headers: authorization() })).status).toBe(503);
    release();
    expect((await first).status).toBe(200);
    expect((await fetch(`${small.url}/things/1`, { headers: authorization() })).status).toBe(200);
    await small.close();
  });

  it('is rejected with 429 only for the retailer that has used its share', async () => {
    const shared = await startHarness({ requests: { requestsMax: 8, loopLagMsMax: 0 } });
    shared.admin.credentials.set('kid-2', credential({ retailer: 'other', id: 3, key: 'kid-2' }));
    await shared.book.copy.readAll();
    const usual = shared.broker.answer;
    const held: (() => void)[] = [];
    shared.broker.answer = async () => {
      await new Promise<void>((resolve) => held.push(resolve));
      return { body: Buffer.from('{}') };
    };
    const get = (headers: Record<string, string> = authorization()) =>
      fetch(`${shared.url}/things/1`, { headers });
    const waiting = Array.from({ length: 6 }, () => get());
    await until('all have arrived', () => held.length === 6);
    shared.broker.answer = usual;
    const refused = await get();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect((await get({ authorization: `Bearer ${bearer({}, { keyid: 'kid-2' })}` })).status).toBe(200);
    for (const release of held) release();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(waiting.map(() => 200));
    expect((await get()).status).toBe(200);
    await shared.close();
  });

  it('is rejected with 503 for large bodies once the memory for them is full, until they are completed', async () => {
    const bodies = { bytesMax: 1024 * 1024, callerBytesMax: 1024 * 1024 };
    const full = await startHarness({ bodies });
    const usual = full.broker.answer;
    const held: (() => void)[] = [];
    full.broker.answer = async () => {
      await new Promise<void>((resolve) => held.push(resolve));
      return { meta: { id: '1' }, body: Buffer.from('{}') };
    };
    const large = JSON.stringify({ name: 'x', total: 1, properties: { text: 'x'.repeat(600 * 1024) } });
    const init = { method: 'POST', headers: json, body: large };
    const first = fetch(`${full.url}/things`, { ...init, headers: { ...authorization(), ...json } });
    await until('the first has reached its owner', () => held.length === 1);
    full.broker.answer = usual;
    const other = (body: string) => fetch(`${full.url}/things?${signed()}`, { ...init, body });
    const refused = await other(large);
    expect([refused.status, ((await refused.json()) as ErrorBody).code]).toEqual([503, 'unavailable']);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect((await other(good)).status).toBe(201);
    for (const release of held) release();
    expect((await first).status).toBe(201);
    expect((await other(large)).status).toBe(201);
    await full.close();
  });

  it('is rejected with 503 while requests of this kind wait for their owner', async () => {
    const slow = await startHarness({ upstreamTimeoutMs: 30_000, upstreamLatencyMsMax: 1 });
    const usual = slow.broker.answer;
    const held: (() => void)[] = [];
    slow.broker.answer = async () => {
      await new Promise<void>((resolve) => held.push(resolve));
      return { body: Buffer.from('{}') };
    };
    const get = () => fetch(`${slow.url}/things/1`, { headers: authorization() });
    const waiting: Promise<Response>[] = [];
    const refused: number[] = [];
    const more = () => waiting.push(get().then((answer) => (refused.push(answer.status), answer)));
    while (waiting.length < 100) more();
    await until('all have arrived', () => held.length === 100);
    await until('one is refused', () => {
      held.shift()?.();
      more();
      return refused.includes(503);
    });
    const post = { method: 'POST', headers: { ...authorization(), ...json }, body: good };
    slow.broker.answer = usual;
    expect((await fetch(`${slow.url}/things`, post)).status).toBe(201);
    for (const release of held) release();
    await Promise.all(waiting);
    expect(new Set(refused)).toEqual(new Set([200, 503]));
    expect((await get()).status).toBe(200);
    await slow.close();
  });

  it('is rejected with 503 for deferred work while too many packets wait', async () => {
    const backlog = new Backlog(10);
    const behind = await startHarness({ backlog });
    const raw = () => fetch(`${behind.url}/blobs`, { method: 'POST', headers: authorization(), body: 'x' });
    backlog.note(10);
    const refused = await raw();
    expect([refused.status, ((await refused.json()) as ErrorBody).code]).toEqual([503, 'unavailable']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(5);
    expect((await fetch(`${behind.url}/things/1`, { headers: authorization() })).status).toBe(200);
    backlog.note(1);
    expect((await raw()).status).toBe(202);
    await behind.close();
  });

  it('is rejected with 503 while the event loop lags', async () => {
    const late = await startHarness({
      requests: { requestsMax: 9, loopLagMsMax: 100 },
      loopLagMs: () => 101,
    });
    expect((await fetch(`${late.url}/public/things`)).status).toBe(503);
    await late.close();
  });
});

describe('the gateway', () => {
  it('makes links relative to the base path, whether or not the URL contains it, and includes it in redirects', async () => {
    const based = await startHarness({ basePath: '/api' });
    for (const path of ['/things', '/api/things']) {
      const response = await fetch(based.url + path, {
        method: 'POST',
        headers: { ...authorization(), ...json },
        body: good,
      });
      expect([response.status, response.headers.get('location')]).toEqual([201, '/things/1']);
    }
    await based.close();
    const withForm = await startHarness({
      basePath: '/api',
      contracts: [webContracts as unknown as Contracts],
    });
    withForm.broker.answer = () => ({ meta: { cookies: [] }, body: Buffer.alloc(0) });
    const redirect = await fetch(`${withForm.url}/api/web/sign-in`, {
      method: 'POST',
      body: new URLSearchParams({ email: 'jo@demo.example' }),
      redirect: 'manual',
    });
    expect([redirect.status, redirect.headers.get('location')]).toEqual([303, '/api/web/home']);
    expect((await fetch(`${withForm.url}/apithings`)).status).toBe(404);
    await withForm.close();
  });

  it('closes its connections after their last responses when it stops', async () => {
    const draining = await startHarness({ isDraining: () => true });
    const response = await fetch(`${draining.url}/things/1`, { headers: authorization() });
    expect([response.status, response.headers.get('connection')]).toEqual([200, 'close']);
    await draining.close();
  });

  it('sends a Strict-Transport-Security header over HTTPS', async () => {
    const https = await startHarness({ httpsOnly: true });
    const response = await fetch(`${https.url}/public/things`);
    expect(response.headers.get('strict-transport-security')).toMatch(/max-age=\d+/);
    await https.close();
  });

  it('cannot start if two contracts have the same route', async () => {
    const { getThing } = testContracts;
    const twice = [{ getThing }, { again: { ...getThing, name: 'things.again' } }] as unknown as Contracts[];
    await expect(startHarness({ contracts: twice })).rejects.toThrow(
      'two contracts have the route GET /things/{id}',
    );
  });
});
