import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { postToProvider } from './provider-api';

const servers: Server[] = [];

async function listening(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/messages`;
}

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

const post = (url: string) => postToProvider(url, { headers: {}, body: 'to=1' }, new Date());

it('treats a message to an unreachable provider as not accepted', async () => {
  const url = await listening((_request, response) => response.end());
  await new Promise((resolve) => servers.pop()?.close(resolve));
  await expect(post(url)).rejects.toMatchObject({ reason: 'not_delivered' });
});

it.each<[string, RequestListener]>([
  ['disconnects', (request) => request.socket.destroy()],
  [
    'disconnects during the response',
    (request, response) => {
      response.writeHead(201, { 'content-length': '100' });
      response.write('{', () => request.socket.destroy());
    },
  ],
])('a provider that %s may or may not have accepted the message', async (_what, answer) => {
  await expect(post(await listening(answer))).rejects.toMatchObject({ reason: 'outcome_unknown' });
});

it('treats a redirect as a response, and does not follow it', async () => {
  const visits: string[] = [];
  const url = await listening((request, response) => {
    visits.push(String(request.url));
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  expect(await post(url)).toMatchObject({ status: 307 });
  expect(visits).toEqual(['/messages']);
});
