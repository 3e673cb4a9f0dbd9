import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { addressGuard } from '../../outgoing/address-guard';
import { webhookPoster, type PosterOptions } from './post-webhook';

const guard = addressGuard(['127.0.0.0/8']);
const resolve = () => Promise.resolve(['127.0.0.1']);
const closers: (() => void)[] = [];
/** For receivers that never respond: limits how long a test waits. */
const timeoutMs = 600;
/** For all other receivers: a good response may take a long time on a busy machine. */
const patientMs = 60_000;

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  closers.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

const post = (url: string, options: Partial<PosterOptions> = {}) =>
  webhookPoster({ guard, allowHttp: true, resolve, timeoutMs: patientMs, ...options })({
    url,
    headers: { 'content-type': 'application/json', 'webhook-id': 'e1' },
    body: '{"a":1}',
  });
/** A receiver that sends raw bytes on each connection, as a hostile one does. */
const raw = async (answer: (socket: Socket) => void) =>
  `http://127.0.0.1:${await listening(createServer((socket) => socket.once('data', () => answer(socket))))}/`;
const ok = 'HTTP/1.1 200 OK\r\n';

it('posts the body with its headers to the path of the URL, with its host name', async () => {
  const seen: unknown[] = [];
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, headers } = request;
      seen.push([method, url, headers.host, headers['webhook-id'], Buffer.concat(chunks).toString()]);
      response.writeHead(204, { 'x-note': 'thanks' }).end();
    });
  });
  const port = await listening(server);
  const attempt = await post(`http://shop.example:${port}/hook?a=1`);
  expect(attempt).toMatchObject({
    outcome: 'succeeded',
    response: { status: 204, headers: { 'x-note': 'thanks' } },
  });
  expect(seen).toEqual([['POST', '/hook?a=1', `shop.example:${port}`, 'e1', '{"a":1}']]);
});

describe('hostile receivers', () => {
  it.each<[string, (socket: Socket) => void, string]>([
    ['silence', () => undefined, 'timeout'],
    ['headers one byte at a time', (socket) => drip(socket, ok), 'timeout'],
    ['endless headers', (socket) => flood(socket, ok, 'x-a: b\r\n'), 'invalid_response'],
    ['a connection reset', (socket) => void socket.resetAndDestroy(), 'unreachable'],
    ['something that is not HTTP', (socket) => socket.end('220 mail.example ESMTP\r\n'), 'invalid_response'],
    [
      'repeated interim responses',
      (socket) => flood(socket, '', 'HTTP/1.1 100 Continue\r\n\r\n', 5),
      'timeout',
    ],
    [
      'another protocol',
      (socket) =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
      'unreachable',
    ],
  ])('fails in time with %s', async (_what, answer, outcome) => {
    const began = Date.now();
    const before = process.memoryUsage().rss;
    const limit = outcome === 'timeout' ? { timeoutMs } : {};
    expect((await post(await raw(answer), limit)).outcome).toBe(outcome);
    expect(Date.now() - began).toBeLessThan(timeoutMs + 30_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(256 * 1024 * 1024);
  });

  it.each<[string, (socket: Socket) => void, string]>([
    ['one byte at a time', (socket) => drip(socket, `${ok}\r\n`, 'x'.repeat(1000)), 'x'],
    ['of one gigabyte', (socket) => flood(socket, `${ok}content-length: 1000000000\r\n\r\n`, 'x'), 'xx'],
    ['of 100 kB', (socket) => socket.end(`${ok}content-length: 100000\r\n\r\n${'y'.repeat(100_000)}`), 'yy'],
    ['without an end', (socket) => flood(socket, `${ok}\r\n`, 'x'), 'xx'],
    [
      'cut off by a reset',
      (socket) => socket.write(`${ok}content-length: 9\r\n\r\nab`, () => socket.resetAndDestroy()),
      '',
    ],
    ['that ends early', (socket) => socket.end(`${ok}content-length: 9\r\n\r\nab`), 'ab'],
  ])('succeed with a 2xx and a body %s', async (_what, answer, start) => {
    const before = process.memoryUsage().rss;
    const { outcome, response } = await post(await raw(answer), { timeoutMs: 3_000 });
    expect([outcome, response?.status]).toEqual(['succeeded', 200]);
    expect(response?.body.startsWith(start)).toBe(true);
    expect(response?.body.length).toBeLessThanOrEqual(4_096);
    expect(process.memoryUsage().rss - before).toBeLessThan(256 * 1024 * 1024);
  });

  it('treats a redirect as a failure and does not follow it', async () => {
    let visits = 0;
    const inner = await listening(
      http.createServer((_request, response) => void response.end(String(visits++))),
    );
    const location = `http://127.0.0.1:${inner}/`;
    const outer = await listening(
      http.createServer((_request, response) => void response.writeHead(302, { location }).end()),
    );
    expect(await post(`http://127.0.0.1:${outer}/`)).toMatchObject({
      outcome: 'redirected',
      response: { status: 302 },
    });
    expect(visits).toBe(0);
  });

  it('uses the status even if the body never ends', async () => {
    const url = await raw((socket) => drip(socket, 'HTTP/1.1 410 Gone\r\n\r\n', 'x'.repeat(1000)));
    expect(await post(url, { timeoutMs: 3_000 })).toMatchObject({
      outcome: 'status',
      response: { status: 410 },
    });
  });

  it('stores only a part of the response', async () => {
    const long = 'y'.repeat(10_000);
    const url = await raw((socket) => socket.end(`HTTP/1.1 500 No\r\nx-long: ${long}\r\n\r\n${long}`));
    const { response } = await post(url);
    expect([response?.headers['x-long']?.length, response?.body.length]).toEqual([256, 4_096]);
  });
});

describe('addresses', () => {
  it('reports a refused connection with its code', async () => {
    const port = await listening(createServer());
    closers.splice(0).forEach((close) => close());
    expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({
      outcome: 'unreachable',
      error: 'ECONNREFUSED',
    });
  });

  it('connects to the allowed addresses of a name only', async () => {
    const port = await listening(http.createServer((_request, response) => void response.end()));
    const both = () => Promise.resolve(['10.0.0.1', '127.0.0.1']);
    const began = Date.now();
    expect((await post(`http://shop.example:${port}/`, { resolve: both })).outcome).toBe('succeeded');
    expect(Date.now() - began).toBeLessThan(patientMs);
    const none = () => Promise.resolve(['10.0.0.1', 'fd00::1']);
    expect((await post('http://shop.example/', { resolve: none })).outcome).toBe('address_refused');
    expect((await post('http://10.0.0.1/')).outcome).toBe('address_refused');
    expect((await post('http://127.0.0.1/', { allowHttp: false })).outcome).toBe('address_refused');
  });

  it.each([
    ['IPv6 first', ['::1', '127.0.0.1']],
    ['two that refuse', ['127.0.0.2', '127.0.0.3', '127.0.0.1']],
  ])('tries the addresses of a name in turn: %s', async (_what, addresses) => {
    const local = addressGuard(['127.0.0.0/8', '::1']);
    const port = await listening(http.createServer((_request, response) => void response.end('fine')));
    const attempt = await post(`http://shop.example:${port}/`, {
      guard: local,
      resolve: () => Promise.resolve(addresses),
    });
    expect(attempt).toMatchObject({ outcome: 'succeeded', response: { body: 'fine' } });
  });

  it('reaches a receiver that listens on IPv6 only', async () => {
    const server = http.createServer((_request, response) => void response.end('six'));
    await new Promise<void>((ready) => server.listen(0, '::1', ready));
    closers.push(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const attempt = await post(`http://localhost:${port}/`, {
      guard: addressGuard(['127.0.0.0/8', '::1']),
      resolve: () => Promise.resolve(['127.0.0.1', '::1']),
    });
    expect(attempt).toMatchObject({ outcome: 'succeeded', response: { body: 'six' } });
  });

  it('resolves a name once, even if the addresses change', async () => {
    let asked = 0;
    const turning = () => Promise.resolve([asked++ === 0 ? '127.0.0.1' : '10.0.0.1']);
    const port = await listening(http.createServer((_request, response) => void response.end()));
    expect((await post(`http://shop.example:${port}/`, { resolve: turning })).outcome).toBe('succeeded');
    expect(asked).toBe(1);
  });

  it('fails in time if a name does not resolve', async () => {
    const silent = () => new Promise<string[]>(() => undefined);
    expect((await post('http://shop.example/', { resolve: silent, timeoutMs })).outcome).toBe('timeout');
    const unknown = () => Promise.reject(Object.assign(new Error('none'), { code: 'ENOTFOUND' }));
    expect(await post('http://shop.example/', { resolve: unknown })).toMatchObject({ error: 'ENOTFOUND' });
  });
});

describe('TLS', () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'webhook-tls-'));
  const file = (name: string) => path.join(dir, name);
  beforeAll(() => {
    const common = [
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
    ];
    const names = ['-subj', '/CN=shop.example', '-addext', 'subjectAltName=DNS:shop.example'];
    const files = ['-keyout', file('key.pem'), '-out', file('cert.pem')];
    execFileSync('openssl', ['req', ...common, ...names, ...files], { stdio: 'ignore' });
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  const secure = async () => {
    const pair = { key: readFileSync(file('key.pem')), cert: readFileSync(file('cert.pem')) };
    return listening(https.createServer(pair, (_request, response) => void response.end('fine')));
  };

  it('requires a certificate for the host name from a known authority', async () => {
    const port = await secure();
    const ca = readFileSync(file('cert.pem'), 'utf8');
    expect((await post(`https://shop.example:${port}/`, { ca })).outcome).toBe('succeeded');
    expect(await post(`https://other.example:${port}/`, { ca })).toMatchObject({
      outcome: 'unreachable',
      error: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
    expect(await post(`https://shop.example:${port}/`)).toMatchObject({ outcome: 'unreachable' });
  });

  it('fails in time if a handshake does not finish', async () => {
    const port = await listening(createServer());
    const attempt = await post(`https://127.0.0.1:${port}/`, { connectTimeoutMs: 200 });
    expect(attempt).toMatchObject({ outcome: 'timeout', error: 'connect' });
    expect(attempt.durationMs).toBeLessThan(patientMs);
  });
});

function drip(socket: Socket, first: string, rest = ''): void {
  const text = rest === '' ? first : rest;
  if (rest !== '') socket.write(first);
  let at = 0;
  const timer = setInterval(() => void socket.write(text[at++ % text.length] ?? 'x'), 100);
  socket.once('close', () => clearInterval(timer));
}

/** Writes for as long as the other side reads. */
function flood(socket: Socket, first: string, text: string, pauseMs = 0): void {
  socket.write(first);
  const chunk = text.repeat(pauseMs > 0 ? 1 : Math.ceil(65_536 / text.length));
  const go = () => {
    if (socket.destroyed) return;
    const more = socket.write(chunk);
    if (pauseMs > 0) setTimeout(go, pauseMs);
    else if (more) setImmediate(go);
    else socket.once('drain', go);
  };
  go();
}
