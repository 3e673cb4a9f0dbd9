import { z } from 'zod';
import { clientOf, refusal } from '../testing/client';
import { authorization, sendRaw, startHarness, type Harness } from '../testing/harness';
import { isMounted } from './routes';

let gateway: Harness;
beforeAll(async () => {
  gateway = await startHarness();
});
afterAll(() => gateway.close());

const { get, answerWith } = clientOf(() => gateway);

describe('routes', () => {
  beforeEach(() => answerWith('{"id":"1"}', { id: '1', version: 3, contentType: 'text/csv; charset=utf-8' }));

  it.each(['/nothing', '/things/', '/Things', '//things', '/things/1/2', '/', '/receipts/..'])(
    'respond with 404 to %s',
    async (path) => {
      expect(await refusal(await get(path))).toMatchObject({
        http: 404,
        status: 'not found',
        code: 'not_found',
      });
    },
  );

  it.each(['/things/%zz', '/things/%00', '/things/%ff', '/things/%c0%af', '/things/%ed%a0%80', '/%'])(
    'respond with 400 to %s',
    async (path) => {
      expect(await refusal(await get(path))).toMatchObject({ http: 400, code: 'invalid_parameter' });
    },
  );

  it('decode a path parameter once, including slashes', async () => {
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
  ])('respond with 405 and the allowed methods to %s %s', async (method, path, allow) => {
    const response = await fetch(gateway.url + path, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
    if (method !== 'HEAD') expect((await refusal(response)).code).toBe('method_not_allowed');
  });

  it('respond with 405 to TRACE, without echoing the request', async () => {
    const answer = await sendRaw(gateway.port, [
      'TRACE /things HTTP/1.1\r\nHost: a\r\nX-Secret: s\r\nConnection: close\r\n\r\n',
    ]);
    expect(answer).toMatch(/^HTTP\/1\.1 405/);
    expect(answer).not.toContain('X-Secret');
  });

  it('accept a URL in absolute form', async () => {
    const answer = await sendRaw(gateway.port, [
      'GET http://elsewhere/public/things?pretty=false HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    ]);
    expect(answer).toMatch(/^HTTP\/1\.1 200/);
  });

  it('respond to HEAD like GET, without the body', async () => {
    const response = await fetch(`${gateway.url}/things/1`, { method: 'HEAD', headers: authorization() });
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([
      200,
      '10',
      '',
    ]);
  });

  it('must state the media types of their body', () => {
    const contract = {
      name: 'things.add',
      http: { method: 'POST', path: '/things' },
      body: z.strictObject({}),
    };
    expect(() => isMounted(contract as never)).toThrow('things.add does not state the media types');
  });

  it('do not exist for internal contracts', async () => {
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
  ])('return JSON only to callers that accept it: %s', async (accept, status) => {
    const response = await get('/things/1', { accept });
    expect(response.status).toBe(status);
    if (status === 406) expect((await refusal(response)).code).toBe('not_acceptable');
  });

  it('return bytes with their own type and policy', async () => {
    const response = await get('/attachments/1', { accept: 'image/png' });
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toBe('sandbox');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('indent JSON on request', async () => {
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
