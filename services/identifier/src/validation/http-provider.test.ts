import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { silentLog } from '@receipts/testing';
import { httpProvider } from './http-provider';

let respond: (request: IncomingMessage, response: ServerResponse) => void;
const asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(String(request.url));
  respond(request, response);
});

beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  server.closeAllConnections();
  return new Promise<void>((resolve) => void server.close(() => resolve()));
});

const json = (body: unknown, status = 200) => {
  respond = (_request, response) => response.writeHead(status).end(JSON.stringify(body));
};
const validate = (identifier: string, ms = 5_000) => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/verify`;
  return httpProvider({ url, apiKey: 'k&y', log: silentLog }).validate(identifier, AbortSignal.timeout(ms));
};

const verdict = {
  result: 'undeliverable',
  reason: 'rejected_email',
  role: false,
  free: true,
  disposable: false,
  accept_all: false,
  did_you_mean: 'bill@gmail.com',
  sendex: 0.51,
  email: 'bill@gamil.com',
  user: 'bill',
  domain: 'gamil.com',
  success: true,
  message: null,
};

it('sends the address and the key, and returns the result', async () => {
  json(verdict);
  expect(await validate('bill@gamil.com')).toEqual({ ...verdict, sendex: 1 });
  expect(asked.at(-1)).toBe('/v2/verify?email=bill%40gamil.com&apikey=k%26y');
});

it('sends nothing for an invalid address', async () => {
  const before = asked.length;
  expect(await validate('990000000001')).toMatchObject({ result: 'undeliverable', reason: 'invalid_email' });
  expect(asked.length).toBe(before);
});

it.each<[string, () => void]>([
  ['an error', () => json({ message: 'no' }, 500)],
  ['an unexpected structure', () => json({ result: 'perhaps' })],
  ['a body that is not JSON', () => (respond = (_request, response) => response.end('<html>'))],
  ['a redirect', () => (respond = (_request, response) => response.writeHead(302, { location: '/x' }).end())],
  ['an oversized response', () => (respond = (_request, response) => response.end('x'.repeat(100_000)))],
  ['a broken connection', () => (respond = (request) => request.socket.destroy())],
])('treats %s as unknown', async (_what, prepare) => {
  prepare();
  expect(await validate('bill@gmail.com')).toMatchObject({
    result: 'unknown',
    reason: 'unexpected_error',
    success: false,
    sendex: 0,
    free: true,
    email: 'bill@gmail.com',
  });
});

it('treats a timeout as unknown', async () => {
  respond = () => {};
  expect(await validate('bill@gmail.com', 100)).toMatchObject({ result: 'unknown', reason: 'timeout' });
});

it('fills in missing members', async () => {
  json({ result: 'risky' });
  expect(await validate('bill@MÜLLER.example')).toEqual({
    ...verdict,
    result: 'risky',
    reason: 'unexpected_error',
    free: false,
    did_you_mean: null,
    sendex: 0,
    email: 'bill@xn--mller-kva.example',
    domain: 'xn--mller-kva.example',
  });
});
