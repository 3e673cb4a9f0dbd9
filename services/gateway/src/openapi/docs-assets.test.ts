import { createHash } from 'node:crypto';
import http, { type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { startHarness, type Harness } from '../testing/harness';
import { docsAssets } from './docs-assets';

const { reference, ...plain } = docsAssets();
const assets = [...Object.values(plain), ...Object.values(reference)];
const script = plain.script.path;
let gateway: Harness;

beforeAll(async () => {
  gateway = await startHarness({
    pages: [
      ...assets,
      { path: '/text', contentType: 'text/plain', body: Buffer.from('words') },
      { path: '/lost', contentType: 'text/plain', body: { file: `${__filename}.none`, length: 5 } },
    ],
  });
});
afterAll(() => gateway.close());

const get = (address: string, init: RequestInit = {}) => fetch(`${gateway.url}${address}`, init);

/** The response as it was sent: `fetch` would decompress it. */
const rawly = (address: string) =>
  new Promise<{
    readonly status: number | undefined;
    readonly headers: IncomingHttpHeaders;
    readonly bytes: Buffer;
  }>((resolve, reject) => {
    http
      .get(`${gateway.url}${address}`, (answer) => {
        const { statusCode: status, headers } = answer;
        buffer(answer).then((bytes) => resolve({ status, headers, bytes }), reject);
      })
      .once('error', reject);
  });

it('serves every file under a name that contains the digest of its content', async () => {
  for (const { path, contentType } of assets) {
    const { status, headers, bytes } = await rawly(path);
    expect([status, headers['content-type']]).toEqual([200, contentType]);
    expect(headers['content-length']).toBe(String(bytes.length));
    expect(headers['cache-control']).toContain('immutable');
    expect(path).toContain(createHash('sha256').update(bytes).digest('hex').slice(0, 16));
  }
});

it('sends the viewer of the reference compressed', async () => {
  const { path } = reference.viewer;
  const { headers, bytes } = await rawly(path);
  expect([headers['content-encoding'], headers['content-type']]).toEqual([
    'gzip',
    'text/javascript; charset=utf-8',
  ]);
  expect(bytes.length).toBeLessThan(1_500_000);
  expect(await get(path).then((answer) => answer.text())).toContain('createApiReference');
});

it('returns 304 if the client has the file', async () => {
  for (const address of [script, '/text']) {
    const first = await get(address);
    const etag = first.headers.get('etag') ?? '';
    await first.arrayBuffer();
    expect(etag).toMatch(/^"[\w-]{16,}"$/);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const again = await get(address, { headers: { 'if-none-match': known } });
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, '']);
    }
    expect((await get(address, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  }
});

it('returns the length for HEAD', async () => {
  const answer = await get(script, { method: 'HEAD' });
  expect([answer.status, await answer.text()]).toEqual([200, '']);
  expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(3_000);
});

it('closes only the affected connection if a client disconnects or a file is missing', async () => {
  await new Promise<void>((gone) => {
    http.get(`${gateway.url}${script}`, (answer) => {
      answer.once('data', () => answer.destroy());
      answer.once('close', gone);
    });
  });
  await expect(get('/lost').then((answer) => answer.text())).rejects.toThrow();
  expect((await get('/text')).status).toBe(200);
});

it('rejects paths that differ from the file’s path', async () => {
  expect((await get('/docs/assets/0000000000000000/docs.css')).status).toBe(404);
  expect((await get(script, { method: 'POST' })).status).toBe(405);
  expect((await get(script, { headers: { accept: 'text/html' } })).status).toBe(406);
});
