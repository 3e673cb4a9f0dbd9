import net from 'node:net';
import type { Client, TestRetailer } from './harness/client';
import { aReceipt } from './harness/receipts';
import { anonymous, aRetailer, sharedPlatform } from './harness/shared-platform';

let retailer: TestRetailer;
let nobody: Client;

beforeAll(async () => {
  retailer = await aRetailer();
  nobody = await anonymous();
});

/** Sends bytes and returns everything received until the server closes the connection or the time limit is reached. */
function rawExchange(text: string, boundMs = 8_000): Promise<string> {
  const { hostname, port } = new URL(sharedPlatform().credentials.baseUrl);
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(port), hostname, () => socket.write(text));
    let received = '';
    const timer = setTimeout(() => socket.destroy(), boundMs);
    socket.on('data', (chunk) => (received += chunk.toString('latin1')));
    socket.once('close', () => {
      clearTimeout(timer);
      resolve(received);
    });
    socket.once('error', (error) => (received === '' ? reject(error) : resolve(received)));
  });
}
const statusOf = (raw: string) => Number(raw.slice(9, 12));

describe('routes', () => {
  it.each(['/nothing', '/receipts/a/b/c', '//receipts', '/Receipts'])('return 404 for %s', async (path) => {
    const answer = await retailer.api.get(path);
    expect([answer.status, answer.body.code, answer.body.status]).toEqual([404, 'not_found', 'not found']);
  });

  it.each([
    ['DELETE', '/receipts'],
    ['PUT', '/receipts'],
    ['OPTIONS', '/receipts'],
    ['GET', '/pos/receipts'],
    ['PUT', '/receipts/000000000000000000000000'],
  ])('return 405 with the allowed methods for %s %s', async (method, path) => {
    const answer = await retailer.api.call(path, { method });
    expect([answer.status, answer.body.code]).toEqual([405, 'method_not_allowed']);
    expect(answer.headers.allow).toMatch(/[A-Z]/);
  });

  it('return 406 for an Accept that cannot be satisfied', async () => {
    const answer = await retailer.api.get('/receipts', undefined, { accept: 'image/png' });
    expect([answer.status, answer.body.code]).toEqual([406, 'not_acceptable']);
    for (const accept of ['*/*', 'application/*', 'application/json', 'text/html, application/json;q=0.5']) {
      expect((await retailer.api.get('/receipts', undefined, { accept })).status).toBe(200);
    }
  });

  it.each([
    '/receipts/%zz',
    '/receipts/%',
    '/receipts?consumer=%zz',
    '/receipts?consumer=%ff',
    '/receipts/%c3%28',
  ])('return 400 for invalid percent-encoding (%s)', async (path) =>
    expect((await retailer.api.call(path)).status).toBe(400),
  );

  it('do not fail with a server error for a NUL in the path', async () => {
    expect([400, 404]).toContain((await retailer.api.call('/receipts/%00')).status);
  });
});

describe('limits', () => {
  it('returns 414 for a query string of more than 4 KiB', async () => {
    for (const size of [4_200, 20_000, 40_000]) {
      const answer = await retailer.api.get('/receipts', { consumer: 'x'.repeat(size) });
      expect([answer.status, answer.body.code]).toEqual([414, 'query_too_large']);
    }
  });

  it('returns 413 for a header of more than 8 KiB', async () => {
    const answer = await retailer.api.get('/receipts', undefined, { 'x-long': 'x'.repeat(8_300) });
    expect([answer.status, answer.body.code]).toEqual([413, 'headers_too_large']);
    expect((await retailer.api.get('/receipts', undefined, { 'x-long': 'x'.repeat(8_000) })).status).toBe(
      200,
    );
  });

  it('returns 413 for more than 32 KiB of headers', async () => {
    const many = Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`x-${n}`, 'x'.repeat(7_000)]));
    const answer = await retailer.api.get('/receipts', undefined, many);
    expect([answer.status, answer.body.code]).toEqual([413, 'headers_too_large']);
  });

  it('returns 413 for headers far beyond any limit', async () => {
    const raw = await rawExchange(
      `GET /receipts HTTP/1.1\r\nHost: x\r\nx-long: ${'x'.repeat(200_000)}\r\n\r\n`,
    );
    expect(statusOf(raw)).toBe(413);
    expect(raw).toContain('headers_too_large');
  });

  it('rejects an announced body that is too large without asking for it', async () => {
    const raw = await rawExchange(
      'POST /receipts HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99000000000\r\nExpect: 100-continue\r\n\r\n',
    );
    expect(raw).not.toContain('100 Continue');
    expect([401, 413]).toContain(statusOf(raw));
    expect(raw.toLowerCase()).toContain('connection: close');
  });
});

describe('the protocol', () => {
  it.each([
    [
      'Content-Length and Transfer-Encoding',
      'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['two lengths', 'Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello'],
    [
      'rejects an announced body that is too large without 100 Continue',
      'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n',
    ],
    ['a folded header', 'x-a: 1\r\n folded\r\n\r\n'],
    ['a space before the colon', 'x-a : 1\r\n\r\n'],
    ['two hosts', 'Host: y\r\n\r\n'],
  ])('returns 400 for %s, and never executes a request smuggled behind it', async (_what, rest) => {
    const raw = await rawExchange(
      `POST /receipts HTTP/1.1\r\nHost: x\r\n${rest}GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n`,
    );
    expect(statusOf(raw)).toBe(400);
    expect(raw).not.toContain('"openapi"');
  });

  it('returns 408 for a request that arrives too slowly', async () => {
    const raw = await rawExchange('GET /receipts HTTP/1.1\r\nHost: x\r\nx-slow: ', 15_000);
    expect(statusOf(raw)).toBe(408);
    expect(raw).toContain('"request timeout"');
  });
});

describe('every response', () => {
  it("has a request id, which is the caller's if valid", async () => {
    const own = await retailer.api.get('/receipts', undefined, { 'request-id': 'till-7.42' });
    expect(own.headers['request-id']).toBe('till-7.42');
    const strange = await retailer.api.get('/receipts', undefined, { 'request-id': 'a b"<c>' });
    expect(strange.headers['request-id']).toMatch(/^[\w.-]+$/);
    expect(strange.headers['request-id']).not.toContain('<');
  });

  it('forbids sniffing and storing', async () => {
    const answer = await retailer.api.get('/receipts');
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(answer.headers['cache-control']).toContain('no-store');
    expect(answer.headers['x-powered-by']).toBeUndefined();
  });

  it('shows no internals in an error', async () => {
    for (const answer of [
      await nobody.get('/receipts'),
      await retailer.api.post('/receipts', { total: {} }),
      await retailer.api.get('/receipts', { newer: 'x' }),
    ]) {
      expect(answer.bytes.toString()).not.toMatch(
        /zod|mongo|rabbit|amqp|node_modules|at \w+ \(|127\.0\.0\.1/i,
      );
    }
  });
});

describe('descriptions', () => {
  it('/openapi.json describes the interface', async () => {
    const answer = await nobody.get('/openapi.json');
    expect(answer.status).toBe(200);
    expect(answer.body.openapi).toMatch(/^3\.1/);
    for (const path of ['/receipts', '/receipts/{id}', '/pos/receipts', '/stores']) {
      expect(Object.keys(answer.body.paths)).toContain(path);
    }
    const create = answer.body.paths['/receipts'].post;
    expect(create.security.length).toBeGreaterThanOrEqual(2);
    expect(Object.keys(create.responses)).toEqual(
      expect.arrayContaining(['201', '401', '403', '409', '422']),
    );
  });

  it('/asyncapi.json describes the events', async () => {
    const answer = await nobody.get('/asyncapi.json');
    expect(answer.status).toBe(200);
    expect(answer.body.asyncapi).toMatch(/^3\./);
    expect(JSON.stringify(answer.body)).toContain('receipt.created');
  });

  it('serves /docs without resources from other origins', async () => {
    const answer = await nobody.get('/docs');
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^text\/html/);
    expect(answer.bytes.toString()).not.toMatch(/(src|href)="https?:\/\//);
  });
});

it('never repeats a signature from the URL in a link or an error', async () => {
  const answer = await retailer.signed().get('/receipts', { count: 0 });
  expect(answer.status).toBe(400);
  expect(answer.bytes.toString()).not.toContain('signature');
});

it('accepts a receipt with a signature', async () => {
  expect((await retailer.signed().post('/receipts', aReceipt())).status).toBe(201);
});
