import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mergePatchOf } from './commands';
import { runOperator } from './run';

interface Seen {
  readonly line: string;
  readonly type: string | undefined;
  readonly token: string | undefined;
  readonly body: string;
}

let server: Server;
let env: Record<string, string>;
const seen: Seen[] = [];
let answers: Record<string, [number, unknown]>;

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

beforeAll(async () => {
  server = createServer((request, response) => {
    void textOf(request).then((body) => {
      const line = `${request.method} ${request.url}`;
      const { authorization: token, 'content-type': type } = request.headers;
      seen.push({ line, type, token, body });
      const [status, answer] = answers[line] ?? [404, { description: 'not found' }];
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(answer === undefined ? '' : JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  env = { BASE_URL: `http://127.0.0.1:${port}/`, OPERATOR_TOKEN: 'secret' };
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  seen.length = 0;
  answers = {};
});

const run = (line: string) => runOperator(line.split(' '), env);

it('lists all pages as a table, or as JSON', async () => {
  answers = {
    'GET /operator/retailers': [
      200,
      {
        retailers: [{ id: 'b', name: 'Bee\u001b[2J', vatno: null }],
        _links: { next: { href: '/operator/retailers?older=b' } },
      },
    ],
    'GET /operator/retailers?older=b': [
      200,
      { retailers: [{ id: 'a', name: 'Ay', vatno: 'V1' }], _links: {} },
    ],
  };
  expect(await run('retailer list')).toEqual({
    code: 0,
    out: 'ID  NAME     VATNO\nb   Bee [2J  -\na   Ay       V1\n',
    err: '',
  });
  expect(seen.every(({ token }) => token === 'Bearer secret')).toBe(true);
  const { out } = await run('retailer list --json');
  expect((JSON.parse(out) as { retailers: { id: string }[] }).retailers.map(({ id }) => id)).toEqual([
    'b',
    'a',
  ]);
});

it('changes settings by their paths', async () => {
  answers = { 'PATCH /operator/retailers/demo': [200, { id: 'demo' }] };
  expect((await run('retailer set demo name=Shop stores.from_receipt=true timezone=Europe/Paris')).code).toBe(
    0,
  );
  expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
    name: 'Shop',
    settings: { stores: { from_receipt: true }, timezone: 'Europe/Paris' },
  });
  expect(mergePatchOf(['retention_days=null', 'portal_groups=["a"]', 'brand.name=5 = x'])).toEqual({
    settings: { retention_days: null, portal_groups: ['a'], brand: { name: '5 = x' } },
  });
});

it('makes a change that others depend on only with --force', async () => {
  answers = { 'PATCH /operator/retailers/demo?force=true': [200, { id: 'demo' }] };
  expect((await run('retailer set demo dynamic_fields={"receipt":{}}')).code).toBe(1);
  expect((await run('retailer set demo dynamic_fields={"receipt":{}} --force')).code).toBe(0);
});

it('creates users, clients and retailers', async () => {
  answers = {
    'PUT /operator/retailers/demo/portal/user/jo%40demo.example': [201, undefined],
    'POST /operator/retailers/demo/clients/hmac': [201, { key: 'k', secret: 's' }],
    'POST /operator/retailers': [201, { id: 'shop' }],
  };
  const user = await run('portal-user create demo jo@demo.example --group clerks --json');
  expect(user).toEqual({ code: 0, out: '{"email":"jo@demo.example","created":true}\n', err: '' });
  expect((await run('client create demo hmac --description App --permissions view.get_receipt')).code).toBe(
    0,
  );
  expect((await run('retailer create shop --name Shop --settings {"currency":"GBP"}')).code).toBe(0);
  expect(seen.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
    { group: 'clerks', status: 'active', send_password_reset_on_create: true },
    { description: 'App', permissions: ['view.get_receipt'] },
    { id: 'shop', name: 'Shop', settings: { currency: 'GBP' } },
  ]);
});

it('replays and discards the given messages, or all messages', async () => {
  answers = {
    'POST /operator/messages/dead-letters/_replay': [200, { replayed: 2 }],
    'POST /operator/messages/dead-letters/_discard': [200, { discarded: 1 }],
  };
  expect((await run('dead-letters replay a.queue --all')).out).toContain('"replayed": 2');
  expect((await run('dead-letters discard a.queue 1 2 --json')).out).toBe('{"discarded":1}\n');
  expect(seen.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
    { queue: 'a.queue', all: true },
    { queue: 'a.queue', ids: ['1', '2'] },
  ]);
});

it('exits with 1 if the API rejects the request, and prints every error', async () => {
  const errors = [{ path: '/settings/timezone', code: 'x', message: 'must be a time zone' }];
  answers = { 'PATCH /operator/retailers/demo': [422, { description: 'wrong', errors }] };
  expect(await run('retailer set demo timezone=Mars')).toEqual({
    code: 1,
    out: '',
    err: '422 wrong; /settings/timezone must be a time zone\n',
  });
  const machine = await run('retailer set demo timezone=Mars --json');
  expect([machine.code, JSON.parse(machine.out)]).toEqual([1, { description: 'wrong', errors }]);
  const nobody = { BASE_URL: 'http://127.0.0.1:1', OPERATOR_TOKEN: 'x' };
  expect(await runOperator(['retailer', 'list'], nobody)).toMatchObject({
    code: 1,
    err: 'http://127.0.0.1:1 is not responding\n',
  });
});

it.each([
  '',
  'retailer',
  'retailer fly',
  'constructor',
  'retailer show',
  'retailer create shop',
  'retailer set demo',
  'retailer set demo timezone',
  'client create demo',
  'cards import demo cards.txt',
  'cards import demo /nowhere/cards.csv',
  'dead-letters replay queue',
  'dead-letters replay queue 1 --all',
  'retailer list --colour',
])('exits with 2 and prints the usage for the invalid command "%s"', async (line) => {
  const { code, out, err } = await run(line);
  expect([code, out, err.includes('Usage: npm run operator')]).toEqual([2, '', true]);
  expect(seen).toEqual([]);
});

it('exits with 0 for --help', async () => {
  expect(await run('--help')).toMatchObject({ code: 0, err: '' });
});

it('rebuilds search documents page by page, for one retailer or for all', async () => {
  const line = 'POST /operator/retailers/demo/receipts/_reindex';
  answers = {
    'GET /operator/retailers': [200, { retailers: [{ id: 'demo' }], _links: {} }],
    [line]: [200, { examined: 2, changed: 1, next: null }],
  };
  expect(JSON.parse((await run('reindex --json')).out)).toEqual({
    retailers: [{ retailer: 'demo', examined: 2, changed: 1 }],
  });
  expect((await run('reindex demo --after 500')).out).toContain('demo');
  expect(seen.map(({ body }) => body).slice(1)).toEqual(['{"after":0}', '{"after":500}']);
  expect((await run('reindex demo --after x')).code).toBe(2);
});

it('requests a catch-up of one service or of both', async () => {
  answers = {
    'POST /operator/services/identifier/_catch_up': [202, undefined],
    'POST /operator/services/delivery/_catch_up': [202, undefined],
  };
  expect((await run('catch-up --from-start')).code).toBe(0);
  expect(seen.map(({ line, body }) => [line, body])).toEqual([
    ['POST /operator/services/identifier/_catch_up', '{"from_start":true}'],
    ['POST /operator/services/delivery/_catch_up', '{}'],
  ]);
  expect((await run('catch-up delivery')).out).toContain('delivery');
  expect(seen).toHaveLength(3);
  expect((await run('catch-up gateway')).code).toBe(2);
  expect(seen).toHaveLength(3);
});
