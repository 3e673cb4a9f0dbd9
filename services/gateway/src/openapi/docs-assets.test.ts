import { createHash } from 'node:crypto';
import http from 'node:http';
import { startHarness, type Harness } from '../testing/harness';
import { docsAssets } from './docs-assets';

const assets = docsAssets();
const script = assets.script.path;
let gateway: Harness;

beforeAll(async () => {
  gateway = await startHarness({
    pages: [
      ...Object.values(assets),
      { path: '/text', contentType: 'text/plain', body: Buffer.from('words') },
      { path: '/lost', contentType: 'text/plain', body: { file: `${__filename}.none`, length: 5 } },
    ],
  });
});
afterAll(() => gateway.close());

const get = (address: string, init: RequestInit = {}) => fetch(`${gateway.url}${address}`, init);

it('serves every file under a name that contains the digest of its content', async () => {
  for (const { path, contentType } of Object.values(assets)) {
    const answer = await get(path);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, contentType]);
    expect(answer.headers.get('content-length')).toBe(String(bytes.length));
    expect(answer.headers.get('cache-control')).toContain('immutable');
    expect(path).toContain(createHash('sha256').update(bytes).digest('hex').slice(0, 16));
  }
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
  expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(5_000);
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
