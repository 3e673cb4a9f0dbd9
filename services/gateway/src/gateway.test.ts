import { idAllotter, ServiceError } from '@receipts/kernel';
import type { Contracts } from './http/mount';
import { testContracts } from './testing/contracts';
import {
  authorization,
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

const json = { 'content-type': 'application/json' };

function post(path: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(gateway.url + path, {
    method: 'POST',
    headers: { ...authorization(), ...json, ...headers },
    body,
  });
}

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(gateway.url + path, { headers: { ...authorization(), ...headers } });
}

describe('a command that its owner answers', () => {
  it('reaches the owner with the bytes that were sent, and the reply becomes the answer', async () => {
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

  it('says when the answer is a remembered one', async () => {
    gateway.broker.answer = () => ({ meta: { id: '1' }, replayed: true, body: Buffer.from('{"id":"1"}') });
    const response = await post('/things', '{"name":"x","total":1}', { 'idempotency-key': 'k1' });
    expect(response.headers.get('idempotent-replayed')).toBe('true');
  });

  it('hands on a refusal of the owner in the error body of the interface', async () => {
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
      id: '7',
      request_id: response.headers.get('request-id'),
    });
  });

  it('answers an accident with a bare 500', async () => {
    gateway.broker.answer = () => {
      throw new Error('host db-1 is down');
    };
    const response = await post('/things', '{"name":"x","total":1}');
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('db-1');
  });
});

const good = '{"name":"x","total":1}';
const answerWith = (body: string, meta: unknown = { id: '1' }) => {
  gateway.broker.answer = () => ({ meta, body: Buffer.from(body) });
};

async function refusal(response: Response): Promise<ErrorBody & { http: number }> {
  const body = (await response.json()) as ErrorBody;
  expect(body.request_id).toBe(response.headers.get('request-id'));
  return { ...body, http: response.status };
}

describe('routes', () => {
  beforeEach(() => answerWith('{"id":"1"}', { id: '1', version: 3, contentType: 'text/csv; charset=utf-8' }));

  it.each(['/nothing', '/things/', '/Things', '//things', '/things/1/2', '/', '/receipts/..'])(
    '%s is 404',
    async (path) => {
      expect(await refusal(await get(path))).toMatchObject({
        http: 404,
        status: 'not found',
        code: 'not_found',
      });
    },
  );

  it.each(['/things/%zz', '/things/%00', '/things/%ff', '/things/%c0%af', '/things/%ed%a0%80', '/%'])(
    '%s is 400',
    async (path) => {
      expect(await refusal(await get(path))).toMatchObject({ http: 400, code: 'invalid_parameter' });
    },
  );

  it('decode a path parameter once, slashes included', async () => {
    expect((await get('/things/a%2Fb%2525%20%C3%A4')).status).toBe(200);
    expect(gateway.broker.last.request.params).toEqual({ id: 'a/b%25 ä' });
  });

  it('prefer a fixed path to one with a parameter', async () => {
    answerWith('{"hits":1}');
    expect((await get('/things/_search?query=x')).status).toBe(200);
    expect(gateway.broker.last.name).toBe('things.search-things');
  });

  it.each([
    ['DELETE', '/things', 'GET, HEAD, POST'],
    ['OPTIONS', '/things', 'GET, HEAD, POST'],
    ['PUT', '/things/1', 'GET, HEAD, PATCH'],
    ['GET', '/blobs', 'POST'],
    ['HEAD', '/blobs', 'POST'],
    ['POST', '/things/_search', 'GET, HEAD'],
  ])('%s %s is 405 with what is allowed', async (method, path, allow) => {
    const response = await fetch(gateway.url + path, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
    if (method !== 'HEAD') expect((await refusal(response)).code).toBe('method_not_allowed');
  });

  it('TRACE is 405 and echoes nothing', async () => {
    const answer = await sendRaw(gateway.port, [
      'TRACE /things HTTP/1.1\r\nHost: a\r\nX-Secret: s\r\nConnection: close\r\n\r\n',
    ]);
    expect(answer).toMatch(/^HTTP\/1\.1 405/);
    expect(answer).not.toContain('X-Secret');
  });

  it('take an address in absolute form', async () => {
    const answer = await sendRaw(gateway.port, [
      'GET http://elsewhere/public/things?pretty=false HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    ]);
    expect(answer).toMatch(/^HTTP\/1\.1 200/);
  });

  it('answer HEAD like GET, without the body', async () => {
    const response = await fetch(`${gateway.url}/things/1`, { method: 'HEAD', headers: authorization() });
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([
      200,
      '10',
      '',
    ]);
  });

  it('that are internal do not exist', async () => {
    expect((await get('/things.internal')).status).toBe(404);
  });

  it('have versions', async () => {
    const names = [];
    for (const headers of [{}, { 'service-api-version': '1' }, { 'service-api-version': '2' }]) {
      const response = await get('/things', headers);
      names.push([gateway.broker.last.name, response.headers.get('service-api-version')]);
    }
    expect(names).toEqual([
      ['things.list-things-v1', '1'],
      ['things.list-things-v1', '1'],
      ['things.list-things', '2'],
    ]);
    for (const version of ['3', '', '1.0', '1, 2', 'latest']) {
      expect(await refusal(await get('/things', { 'service-api-version': version }))).toMatchObject({
        http: 400,
        code: 'unsupported_version',
      });
    }
    expect(
      (await get('/things/1', { 'service-api-version': '9' })).headers.get('service-api-version'),
    ).toBeNull();
  });

  it.each([
    ['text/html', 406],
    ['application/json;q=0', 406],
    ['text/*, application/json;q=0.0, */*;q=0.5', 406],
    ['application/xml, */*;q=0.1', 200],
    ['application/*', 200],
    ['Application/JSON; charset=utf-8', 200],
    ['*/*;q=0', 406],
  ])('give JSON to those who accept it: %s', async (accept, status) => {
    const response = await get('/things/1', { accept });
    expect(response.status).toBe(status);
    if (status === 406) expect((await refusal(response)).code).toBe('not_acceptable');
  });

  it('give bytes with their own type and policy', async () => {
    const response = await get('/attachments/1', { accept: 'image/png' });
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toBe('sandbox');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('lay JSON out for people who ask for it', async () => {
    answerWith('{"a":[1.0,{"b":"x,\\"y"}],"c":{},"d":[]}');
    expect(await (await get('/things/1?pretty=true')).text()).toBe(
      '{\n  "a": [\n    1.0,\n    {\n      "b": "x,\\"y"\n    }\n  ],\n  "c": {},\n  "d": []\n}\n',
    );
    expect(await refusal(await get('/things/1?pretty=yes'))).toMatchObject({
      http: 400,
      code: 'invalid_parameter',
    });
  });
});

describe('query parameters', () => {
  it('reach the owner checked and converted', async () => {
    answerWith('[]');
    await get('/things?consumer=a,b&count=3&consumer=c&name=x+y%2B%C3%A4');
    expect(gateway.broker.last.request.query).toEqual({ consumer: ['a', 'b', 'c'], count: 3, name: 'x y+ä' });
    await get('/things');
    expect(gateway.broker.last.request.query).toEqual({ count: 20 });
  });

  it.each([
    ['count=0', '/count'],
    ['count=21', '/count'],
    ['count=1e9', '/count'],
    ['count=5;', '/count'],
    ['count=1&count=2', '/count'],
    ['count=', '/count'],
    ['consumer=a,,b', '/consumer'],
    ['consumer=a,b,c,d,e,f', '/consumer'],
    ['count[$ne]=1', '/count[$ne]'],
    ['unknown=1', '/unknown'],
    ['__proto__=1', '/__proto__'],
    ['consumer.0=1', '/consumer.0'],
    ['a/b=1', '/a~1b'],
    ['=1', '/'],
  ])('%s is 400 and names the parameter', async (query, path) => {
    const body = await refusal(await get(`/things?${query}`));
    expect(body).toMatchObject({ http: 400, status: 'bad request', code: 'invalid_parameter' });
    expect(body.errors?.map((error) => error.path)).toEqual([path]);
  });

  it('are named all at once', async () => {
    const body = await refusal(await get('/things?count=0&x=1&consumer=,'));
    expect(body.errors?.map(({ path }) => path).sort()).toEqual(['/consumer', '/count', '/x']);
  });

  it.each(['name=%', 'name=%zz', 'name=%ff', 'name=%c3', 'name=%00', '%ff=1'])('%s is 400', async (query) => {
    expect(await refusal(await get(`/things?${query}`))).toMatchObject({
      http: 400,
      code: 'invalid_parameter',
    });
  });

  it('that are free are passed on as they came', async () => {
    const response = await post('/blobs?property-A=1&Property_a=2&external_id=u', 'x', {
      'service-property-c': '3',
    });
    expect(response.status).toBe(202);
    const { request, kind } = gateway.broker.last;
    expect(request.query).toEqual({
      free: [
        ['property-A', '1'],
        ['Property_a', '2'],
        ['external_id', 'u'],
      ],
    });
    expect(request.headers).toEqual({ free: [['service-property-c', '3']] });
    expect(kind).toBe('asked');
    expect((await post('/blobs?free=1', 'x')).status).toBe(400);
  });
});

describe('bodies', () => {
  beforeEach(() => answerWith('{"id":"1"}', { id: '1', version: 3 }));

  it.each([
    ['not JSON', '{"name":', 400, 'malformed_body'],
    ['empty', '', 400, 'malformed_body'],
    ['two values', `${good}${good}`, 400, 'malformed_body'],
    ['NaN', '{"name":"x","total":NaN}', 400, 'malformed_body'],
    [
      '33 levels',
      `{"name":"x","total":1,"properties":{"a":${'['.repeat(31)}${']'.repeat(31)}}}`,
      400,
      'malformed_body',
    ],
    ['400,000 levels', '['.repeat(400_000), 400, 'malformed_body'],
    ['an array', '[]', 422, 'schema_validation_failed'],
    ['null', 'null', 422, 'schema_validation_failed'],
    ['a number that is none', '{"name":"x","total":1e400}', 422, 'schema_validation_failed'],
    [
      'an endless number where anything goes',
      '{"name":"x","total":1,"properties":{"a":1e999}}',
      422,
      'schema_validation_failed',
    ],
    ['__proto__', '{"name":"x","total":1,"__proto__":{"a":1}}', 422, 'schema_validation_failed'],
    ['constructor', '{"name":"x","total":1,"constructor":{"prototype":{}}}', 422, 'schema_validation_failed'],
  ])('%s: %#', async (_name, body, status, code) => {
    expect(await refusal(await post('/things', body))).toMatchObject({ http: status, code });
    expect(({} as { a?: unknown }).a).toBeUndefined();
  });

  it('are told everything that is wrong with them', async () => {
    const { errors } = await refusal(
      await post('/things', '{"total":"1","parts":[{"name":"a"},{"nam":"b"}],"x":1}'),
    );
    expect(errors?.map(({ path, code }) => `${path} ${code}`).sort()).toEqual([
      '/name required',
      '/parts/1/nam unknown_field',
      '/parts/1/name required',
      '/total invalid_type',
      '/x unknown_field',
    ]);
  });

  it('that are not UTF-8 are 400', async () => {
    const body = Buffer.from('{"name":"\xff","total":1}', 'latin1');
    expect(await refusal(await post('/things', body))).toMatchObject({ http: 400, code: 'malformed_body' });
  });

  it('lose a byte order mark', async () => {
    expect((await post('/things', `\uFEFF${good}`)).status).toBe(201);
    expect(gateway.broker.last.request.body.toString()).toBe(good);
  });

  it.each([
    'text/plain',
    'application/json; charset=iso-8859-1',
    'application/jsonx',
    'application/vnd.x+json',
    'application/json-patch+json',
    'json',
    ',',
  ])('of type "%s" are 415', async (type) => {
    const response = await post('/things', good, { 'content-type': type });
    expect(await refusal(response)).toMatchObject({
      http: 415,
      status: 'unsupported media type',
      code: 'unsupported_media_type',
    });
  });

  it.each(['application/json; charset=UTF-8', 'Application/JSON', 'application/json;charset="utf-8"'])(
    'of type "%s" are read',
    async (type) => {
      expect((await post('/things', good, { 'content-type': type })).status).toBe(201);
    },
  );

  it('that are compressed are 415', async () => {
    expect(await refusal(await post('/things', good, { 'content-encoding': 'gzip' }))).toMatchObject({
      http: 415,
    });
    expect(await refusal(await post('/blobs', good, { 'content-encoding': 'gzip' }))).toMatchObject({
      http: 415,
    });
  });

  it('are checked by their media type, and a patch says what it takes', async () => {
    const patch = (type: string, body: string) =>
      fetch(`${gateway.url}/things/1`, {
        method: 'PATCH',
        headers: { ...authorization(), 'content-type': type },
        body,
      });
    const response = await patch('application/json-patch+json', '[]');
    expect([response.status, response.headers.get('etag')]).toEqual([200, '"3"']);
    expect(gateway.broker.last.request.contentType).toBe('application/json-patch+json');
    expect(gateway.broker.last.call.permissions).toEqual(['view.*']);
    expect((await patch('application/json', '{"name":"x"}')).status).toBe(200);
    expect((await patch('application/json', '[]')).status).toBe(422);
    const refused = await patch('text/plain', '[]');
    expect([refused.status, refused.headers.get('accept-patch')]).toEqual([
      415,
      'application/json-patch+json, application/json',
    ]);
  });

  it('of any type go through untouched', async () => {
    const body = Buffer.from([0, 255, 1, 254]);
    const response = await post('/blobs', body, { 'content-type': 'Text/Weird; x=y' });
    expect(response.status).toBe(202);
    const { kind, request, call } = gateway.broker.last;
    expect([kind, request.contentType, request.body.equals(body)]).toEqual(['sent', 'Text/Weird; x=y', true]);
    expect(response.headers.get('location')).toBe(`/things/${call.id}`);
    expect(idAllotter('a secret for tests').isAllotted(call.id, 'demo')).toBe(true);
    expect(await response.text()).toBe('');
  });

  it('with an idempotency key wait for the answer of the owner', async () => {
    await post('/blobs', 'x', { 'idempotency-key': 'k' });
    expect(gateway.broker.last).toMatchObject({ kind: 'asked', call: { idempotencyKey: 'k' } });
  });

  it.each(['', 'k'.repeat(256)])('with the idempotency key "%s" are 400', async (key) => {
    const response = await post('/things', good, { 'idempotency-key': key });
    expect((await refusal(response)).errors?.[0]?.path).toBe('/idempotency-key');
  });

  it('are not needed where there is nothing to say', async () => {
    gateway.broker.answer = () => ({ body: Buffer.alloc(0) });
    const response = await fetch(`${gateway.url}/things/1/_poke`, {
      method: 'POST',
      headers: authorization(),
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([204, null]);
  });
});

describe('every answer', () => {
  it('has a request id, its own where the given one is odd', async () => {
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

describe('overload', () => {
  it.each(['blocked', 'down'] as const)(
    'is 503 at once while the broker is %s, and the body is not read',
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

  it('is 429 for a credential that asks too much, and for no other kind of request', async () => {
    const slow = await startHarness({ rates: { readsPerSecond: 1, writesPerSecond: 100, burstSeconds: 2 } });
    const statuses: number[] = [];
    let last: Response | undefined;
    for (let i = 0; i < 3; i++) {
      last = await fetch(`${slow.url}/things/1`, { headers: authorization() });
      statuses.push(last.status);
    }
    expect(statuses).toEqual([200, 200, 429]);
    expect(last?.headers.get('retry-after')).toBe('1');
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

  it('is 503 above the requests in progress, and over when they are answered', async () => {
    const small = await startHarness({ admission: { requestsMax: 1, loopLagMsMax: 0 } });
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

  it('is 503 while the event loop is late', async () => {
    const late = await startHarness({
      admission: { requestsMax: 9, loopLagMsMax: 100 },
      loopLagMs: () => 101,
    });
    expect((await fetch(`${late.url}/public/things`)).status).toBe(503);
    await late.close();
  });
});

describe('surroundings', () => {
  it('a base path stands before a Location, and may be in the address or not', async () => {
    const based = await startHarness({ basePath: '/api' });
    for (const path of ['/things', '/api/things']) {
      const response = await fetch(based.url + path, {
        method: 'POST',
        headers: { ...authorization(), ...json },
        body: good,
      });
      expect([response.status, response.headers.get('location')]).toEqual([201, '/api/things/1']);
    }
    expect((await fetch(`${based.url}/apithings`)).status).toBe(404);
    await based.close();
  });

  it('a process that stops closes its connections after their answer', async () => {
    const draining = await startHarness({ isDraining: () => true });
    const response = await fetch(`${draining.url}/things/1`, { headers: authorization() });
    expect([response.status, response.headers.get('connection')]).toEqual([200, 'close']);
    await draining.close();
  });

  it('browsers are told to stay on HTTPS where there is HTTPS', async () => {
    const https = await startHarness({ httpsOnly: true });
    const response = await fetch(`${https.url}/public/things`);
    expect(response.headers.get('strict-transport-security')).toMatch(/max-age=\d+/);
    await https.close();
  });

  it('two contracts that want one route stop the start', async () => {
    const { getThing } = testContracts;
    const twice = [{ getThing }, { again: { ...getThing, name: 'things.again' } }] as unknown as Contracts[];
    await expect(startHarness({ contracts: twice })).rejects.toThrow('two contracts want GET /things/{id}');
  });
});
