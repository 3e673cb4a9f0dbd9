import { connect } from 'node:net';
import { bearer, errorOf, sendRaw, startHarness, times, type Harness } from '../testing/harness';
import { defaultSizeLimits, headBytesMax, pathBytesMax } from './limits';

let gateway: Harness;
beforeAll(async () => {
  gateway = await startHarness();
});
const answer = Buffer.from('{"id":"1"}');
beforeEach(() => {
  gateway.broker.received.length = 0;
  gateway.broker.answer = () => ({ meta: { id: '1' }, body: answer });
});
afterAll(() => gateway.close());

const token = bearer();
const host = 'Host: a\r\n';
const authorized = `${host}Authorization: Bearer ${token}\r\n`;
const json = `${authorized}Content-Type: application/json\r\n`;
const smuggled = `GET /public/things?smuggled HTTP/1.1\r\n${host}\r\n`;

function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
}

/** The number of responses on one connection. */
function answersIn(text: string): number {
  return text.match(/HTTP\/1\.1 \d{3}/g)?.length ?? 0;
}

function expectRefusal(answer: string, status: number, code?: string, description?: string): void {
  expect([statusOf(answer), answersIn(answer)]).toEqual([status, 1]);
  const body = errorOf(answer);
  expect(body).toMatchObject({
    description: expect.any(String) as string,
    status: expect.any(String) as string,
  });
  if (code !== undefined) expect(body.code).toBe(code);
  if (description !== undefined) expect(body.description).toBe(description);
  expect(answer.toLowerCase()).toContain('content-type: application/json');
  expect(answer.toLowerCase()).toContain(`request-id: ${body.request_id}`);
  expect(answer).not.toMatch(/node_modules|HPE_|at \w+ \(/);
}

describe('requests that two servers may parse differently', () => {
  const cases: readonly (readonly [name: string, bytes: string])[] = [
    [
      'Content-Length and Transfer-Encoding',
      `POST /things HTTP/1.1\r\n${json}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      'Transfer-Encoding and Content-Length',
      `POST /things HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
    ],
    ['two lengths', `POST /things HTTP/1.1\r\n${json}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
    [
      'the same length twice',
      `POST /things HTTP/1.1\r\n${json}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`,
    ],
    ['a list of lengths', `POST /things HTTP/1.1\r\n${json}Content-Length: 2, 2\r\n\r\n{}`],
    ['a signed length', `POST /things HTTP/1.1\r\n${json}Content-Length: +2\r\n\r\n{}`],
    [
      'a coding that looks like chunked',
      `POST /things HTTP/1.1\r\n${json}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      'chunked that is not the last',
      `POST /things HTTP/1.1\r\n${json}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
    ],
    [
      'another coding before chunked',
      `POST /things HTTP/1.1\r\n${json}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      'chunked twice',
      `POST /things HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['chunked in HTTP/1.0', `POST /things HTTP/1.0\r\n${json}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['a folded header', `GET /things HTTP/1.1\r\n${authorized}X-A: b\r\n c\r\n\r\n`],
    ['a folded coding', `POST /things HTTP/1.1\r\n${json}Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n`],
    ['a space before the colon', `GET /things HTTP/1.1\r\n${authorized}X-A : b\r\n\r\n`],
    ['bare line feeds', `GET /things HTTP/1.1\n${authorized.replaceAll('\r', '')}\n`],
    ['a bare line feed in the headers', `GET /things HTTP/1.1\r\n${authorized}X-A: b\nX-B: c\r\n\r\n`],
    ['a bare carriage return', `GET /things HTTP/1.1\r\n${authorized}X-A: b\rc\r\n\r\n`],
    ['a NUL in a header', `GET /things HTTP/1.1\r\n${authorized}X-A: b\0c\r\n\r\n`],
    ['two Hosts', `GET /things HTTP/1.1\r\n${host}${authorized}\r\n`],
    ['no Host', `GET /public/things HTTP/1.1\r\n\r\n`],
    ['two Authorizations', `GET /things HTTP/1.1\r\n${authorized}Authorization: Bearer x\r\n\r\n`],
    ['HTTP/0.9', `GET /public/things\r\n\r\n`],
    ['HTTP/2 without a handshake', `GET /public/things HTTP/2.0\r\n${host}\r\n`],
    ['HTTP/2 with prior knowledge', `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`],
    ['an unknown method', `FOO /public/things HTTP/1.1\r\n${host}\r\n`],
    ['a space in the address', `GET /public/ things HTTP/1.1\r\n${host}\r\n`],
    ['bytes that are not text in the address', `GET /public/\xff HTTP/1.1\r\n${host}\r\n`],
    ['CONNECT', `CONNECT internal:80 HTTP/1.1\r\n${host}\r\n`],
    ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ];
  it.each(cases)('%s causes 400, and nothing after it is executed', async (_name, bytes) => {
    const answer = await sendRaw(gateway.port, [bytes + smuggled]);
    expectRefusal(answer, 400);
    expect(answer.toLowerCase()).toContain('connection: close');
    expect(gateway.broker.received).toEqual([]);
  });

  it('responds with 400 to a broken chunk, and does not pass it on', async () => {
    const chunks = `POST /things HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n`;
    expectRefusal(await sendRaw(gateway.port, [chunks + smuggled]), 400);
    expect(gateway.broker.received).toEqual([]);
  });

  it('parses bytes after a body as the next request', async () => {
    const body = '{"name":"x","total":1}';
    const first = `POST /things HTTP/1.1\r\n${json}Content-Length: ${body.length}\r\n\r\n${body}`;
    const answer = await sendRaw(gateway.port, [`${first}junk after it\r\n\r\n`]);
    expect(answer).toMatch(/^HTTP\/1\.1 (201|400)/);
    expect(answersIn(answer)).toBeLessThanOrEqual(2);
  });

  it('never writes a second response after the first has begun', async () => {
    gateway.broker.answer = () => ({
      meta: { contentType: 'text/plain' },
      body: Buffer.alloc(4_000_000, 'a'),
    });
    const answer = await sendRaw(gateway.port, [
      `GET /attachments/1 HTTP/1.1\r\n${authorized}\r\n\x00\x01junk\r\n\r\n`,
    ]);
    expect(answersIn(answer)).toBeLessThanOrEqual(1);
    if (answersIn(answer) === 1) expect(answer.slice(-100)).not.toContain('description');
  });
});

describe('sizes', () => {
  const get = (query: string, headers = '') =>
    `GET /things${query} HTTP/1.1\r\n${authorized}Connection: close\r\n${headers}\r\n`;

  it.each([4_097, 20_000, 70_000, 200_000])(
    'responds with 414 to a query string of %d bytes',
    async (bytes) => {
      const answer = await sendRaw(gateway.port, [get(`?${'a'.repeat(bytes)}`)]);
      expectRefusal(answer, 414, 'query_too_large', 'the query string is larger than 4096 bytes');
      expect(errorOf(answer).status).toBe('uri too long');
    },
  );

  it('responds with 413 to a query string of 2 MB, because the parser does not distinguish it from headers', async () => {
    const answer = await sendRaw(gateway.port, [get(`?${'a'.repeat(2_000_000)}`)]);
    expectRefusal(
      answer,
      413,
      'headers_too_large',
      'the request line with all headers is larger than 262144 bytes',
    );
  });

  it('reads a query string of 4,096 bytes', async () => {
    const answer = await sendRaw(gateway.port, [get(`?name=${'a'.repeat(4_091)}`)]);
    expect(statusOf(answer)).toBe(200);
  });

  it.each([8_192, 20_000, 100_000])(
    'responds with 413 to a header of %d bytes including its name',
    async (bytes) => {
      const answer = await sendRaw(gateway.port, [get('', `X-Large: ${'a'.repeat(bytes)}\r\n`)]);
      expectRefusal(answer, 413, 'headers_too_large', 'the header x-large is larger than 8192 bytes');
    },
  );

  it('responds with 413 to headers of more than 32 KiB in total', async () => {
    const answer = await sendRaw(gateway.port, [get('', `X-Large: ${'a'.repeat(7_000)}\r\n`.repeat(5))]);
    expectRefusal(answer, 413, 'headers_too_large', 'the sum of all headers is larger than 32768 bytes');
  });

  it('responds with 413 to headers above the parser’s limit', async () => {
    const answer = await sendRaw(gateway.port, [get('', `X-Large: ${'a'.repeat(7_000)}\r\n`.repeat(60))]);
    expectRefusal(
      answer,
      413,
      'headers_too_large',
      'the request line with all headers is larger than 262144 bytes',
    );
  });

  it('accepts requests up to the highest limits', async () => {
    const highest = {
      queryBytesMax: headBytesMax,
      headerBytesMax: headBytesMax,
      headersBytesMax: headBytesMax,
    };
    const generous = await startHarness({ limits: { ...defaultSizeLimits, ...highest } });
    const path = `/things/${'a'.repeat(pathBytesMax - '/things/'.length)}`;
    const header = `X-Large: ${'a'.repeat(headBytesMax - 1_000)}\r\n`;
    const request = `GET ${path}?${'&'.repeat(headBytesMax)} HTTP/1.1\r\n${authorized}Connection: close\r\n${header}\r\n`;
    expect(statusOf(await sendRaw(generous.port, [request]))).toBe(200);
    await generous.close();
  });

  it.each([101, 2_500])('responds with 413 to %d headers, and drops none silently', async (count) => {
    const answer = await sendRaw(gateway.port, [get('', 'X: y\r\n'.repeat(count - 3))]);
    expectRefusal(answer, 413, 'headers_too_large', 'there are more than 100 headers');
  });

  const limit = 2 * 1024 * 1024;
  const post = (headers: string, path = '/things') => `POST ${path} HTTP/1.1\r\n${json}${headers}\r\n`;

  it('responds with 413 to a body above the limit before reading it', async () => {
    const answer = await sendRaw(gateway.port, [post(`Content-Length: ${limit + 1}\r\n`)]);
    expectRefusal(answer, 413, 'body_too_large', 'the body is larger than 2097152 bytes');
    expect(answer.toLowerCase()).toContain('connection: close');
  });

  it('responds to the sender of an oversized body while it is still sending', async () => {
    const answer = await sendRaw(gateway.port, [
      post(`Content-Length: ${limit * 3}\r\n`),
      Buffer.alloc(limit * 3, ' '),
    ]);
    expectRefusal(answer, 413, 'body_too_large', 'the body is larger than 2097152 bytes');
  });

  it('responds with 413 as soon as a chunked body exceeds the limit', async () => {
    const chunk = Buffer.concat([
      Buffer.from('100000\r\n'),
      Buffer.alloc(0x100000, ' '),
      Buffer.from('\r\n'),
    ]);
    const answer = await sendRaw(gateway.port, [post('Transfer-Encoding: chunked\r\n'), chunk, chunk, chunk]);
    expectRefusal(answer, 413, 'body_too_large', 'the body is larger than 2097152 bytes');
  });

  it('does not send 100 Continue for a body of 99 GB', async () => {
    const answer = await sendRaw(gateway.port, [
      post('Content-Length: 99000000000\r\nExpect: 100-continue\r\n'),
    ]);
    expectRefusal(answer, 413, 'body_too_large', 'the body is larger than 2097152 bytes');
    expect(answer).not.toContain('100 Continue');
  });

  it('does not send 100 Continue to a caller without credentials, and does not read the body', async () => {
    const head = `POST /things HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 20\r\nExpect: 100-continue\r\n\r\n`;
    const answer = await sendRaw(gateway.port, [head]);
    expectRefusal(answer, 401);
    expect(answer.toLowerCase()).toContain('connection: close');
  });

  it('sends 100 Continue for a body that it will read', async () => {
    const body = '{"name":"x","total":1}';
    const socket = connect(gateway.port, '127.0.0.1');
    let received = '';
    const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('data', (data) => {
      received += data.toString();
      if (received.startsWith('HTTP/1.1 100 Continue') && !received.includes('201')) socket.write(body);
    });
    socket.write(post(`Content-Length: ${body.length}\r\nExpect: 100-continue\r\nConnection: close\r\n`));
    await ended;
    expect(received).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201/);
  });

  it('responds with 417 to any other expectation', async () => {
    expectRefusal(await sendRaw(gateway.port, [get('', 'Expect: 200-ok\r\n')]), 417);
  });

  it('allows attachments to be larger than other bodies, up to their own limit', async () => {
    const head = (length: number) =>
      `POST /attachments HTTP/1.1\r\n${authorized}Connection: close\r\nContent-Length: ${length}\r\n\r\n`;
    const large = Buffer.alloc(9 * 1024 * 1024, 'a');
    expect(statusOf(await sendRaw(gateway.port, [head(large.length), large]))).toBe(201);
    expect(gateway.broker.last.request.body.equals(large)).toBe(true);
    expectRefusal(await sendRaw(gateway.port, [head(10 * 1024 * 1024 + 1)]), 413, 'body_too_large');
  });
});

describe('uploads that never end', () => {
  const bytes = 9 * 1024 * 1024;
  const begin = () => {
    const socket = connect(gateway.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`POST /attachments HTTP/1.1\r\n${authorized}Content-Length: ${bytes}\r\n\r\n`);
    return socket;
  };

  it('use at most their caller’s share of the memory, and release it when the caller disconnects', async () => {
    const sockets = [begin(), begin()];
    const third = () =>
      sendRaw(gateway.port, [`POST /attachments HTTP/1.1\r\n${authorized}Content-Length: ${bytes}\r\n\r\n`]);
    let answer = '';
    // The first two are in progress on their own connections.
    for (let n = 0; n < 50 && statusOf(answer) !== 429; n++) answer = await third();
    expectRefusal(answer, 429, 'rate_limited');
    expect(answer).toMatch(/retry-after: 1/i);
    for (const socket of sockets) socket.destroy();
    const whole = `POST /attachments HTTP/1.1\r\n${authorized}Connection: close\r\nContent-Length: ${bytes}\r\n\r\n`;
    let status = 429;
    for (let n = 0; n < 50 && status === 429; n++) {
      status = statusOf(await sendRaw(gateway.port, [whole, Buffer.alloc(bytes, 'a')]));
    }
    expect(status).toBe(201);
  });
});

describe('slow callers', () => {
  let hasty: Harness;
  beforeAll(async () => {
    hasty = await startHarness({ times: { ...times, headersTimeoutMs: 300, requestTimeoutMs: 600 } });
  });
  afterAll(() => hasty.close());

  it('get 408 if the headers never end', async () => {
    const answer = await sendRaw(hasty.port, [`GET /things HTTP/1.1\r\n${host}`], 8_000);
    expectRefusal(answer, 408, 'request_timeout');
    expect(errorOf(answer).status).toBe('request timeout');
  });

  it('get 408 if the body never ends', async () => {
    const answer = await sendRaw(
      hasty.port,
      [`POST /things HTTP/1.1\r\n${json}Content-Length: 100\r\n\r\n{`],
      8_000,
    );
    expectRefusal(answer, 408, 'request_timeout');
    expect(hasty.broker.received).toEqual([]);
  });

  it('leave no state behind when they disconnect', async () => {
    const socket = connect(hasty.port, '127.0.0.1');
    socket.write(`POST /things HTTP/1.1\r\n${json}Content-Length: 100\r\n\r\n{`);
    await new Promise((resolve) => socket.once('connect', resolve));
    const lines = hasty.lines.length;
    setTimeout(() => socket.destroy(), 20);
    while (hasty.lines.length === lines) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(hasty.lines.at(-1)?.fields['status']).toBe(499);
  });
});
