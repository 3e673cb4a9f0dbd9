import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { logoFetcher } from './fetch-logo';
import { uploadedLogos } from './uploaded-logos';
import { pngOf } from '../../testing/png';
import { addressGuard } from '../../outgoing/address-guard';
import { hostResolver } from '../../outgoing/resolve-host';

let server: Server;
let requests: string[];
const png = pngOf(200, 50);
const local = { guard: addressGuard(['127.0.0.0/8', '::1/128']), resolve: hostResolver() };

beforeEach(async () => {
  requests = [];
  server = createServer((request, response) => {
    requests.push(request.url ?? '');
    if (request.url === '/silent') return;
    if (request.url === '/moved') return void response.writeHead(302, { location: '/logo.png' }).end();
    if (request.url === '/large') return void response.end(Buffer.alloc(300 * 1024));
    response.end(request.url === '/page' ? '<html>' : png);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

const url = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;

it('downloads a logo once, for concurrent and later e-mails', async () => {
  const find = logoFetcher(local);
  const found = await Promise.all([find(url('/logo.png')), find(url('/logo.png'))]);
  expect(found.map((logo) => logo?.content.equals(png))).toEqual([true, true]);
  expect(await find(url('/logo.png'))).toMatchObject({ type: 'image/png', width: 200 });
  expect(requests).toEqual(['/logo.png']);
  expect(await find(null)).toBeUndefined();
});

it.each(['/page', '/large', '/moved', '/silent'])('omits the logo if it is %s', async (path) => {
  const find = logoFetcher({ ...local, timeoutMs: 200 });
  expect(await find(url(path))).toBeUndefined();
  expect(await find(url(path))).toBeUndefined();
  expect(requests).toEqual([path]);
});

it('does not wait for a name server that does not respond', async () => {
  const find = logoFetcher({ ...local, resolve: () => new Promise(() => {}), timeoutMs: 100 });
  expect(await find('https://logo.example/logo.png')).toBeUndefined();
});

it('does not connect to private addresses', async () => {
  const find = logoFetcher({ ...local, guard: addressGuard([]) });
  expect(await find(url('/logo.png'))).toBeUndefined();
  const rebound = logoFetcher({ guard: addressGuard([]), resolve: async () => ['8.8.8.8', '127.0.0.1'] });
  expect(await rebound(url('/logo.png').replace('127.0.0.1', 'logo.example'))).toBeUndefined();
  expect(requests).toEqual([]);
});

it('requests an uploaded logo from its service, and connects to other sites only', async () => {
  const asked: string[] = [];
  const platform = 'http://127.0.0.1:1/base';
  const ask = (async (_contract: unknown, { params }: { params: { id: string } }) => {
    asked.push(params.id);
    if (params.id === 'gone') throw new Error('no such logo');
    return { body: png };
  }) as never;
  const find = logoFetcher({ ...local, guard: addressGuard([]), uploaded: uploadedLogos(ask, platform) });
  expect(await find(`${platform}/logos/one`)).toMatchObject({ type: 'image/png', width: 200 });
  expect(await find(`${platform}/logos/one`)).toBeDefined();
  expect(await find(`${platform}/logos/gone`)).toBeUndefined();
  expect(await find(url('/logos/one'))).toBeUndefined();
  expect([asked, requests]).toEqual([['one', 'gone'], []]);
});
