import { until } from '@receipts/testing';
import { Client, type TestRetailer } from './harness/client';
import { locationOf, olderIn, PortalVisitor, textOf, type PortalUser } from './harness/portal-visitor';
import { aReceipt } from './harness/receipts';
import { aRetailer, sharedPlatform } from './harness/shared-platform';

const path = '/portal/integration';
const permissions = ['view.get_receipt', 'view.get_client', 'view.post_client', 'view.patch_client'];
const settings = {
  portal_groups: ['managers', 'integrators', 'clerks'],
  portal_permissions: { managers: ['view.*'], integrators: permissions, clerks: ['view.get_receipt'] },
};

let retailer: TestRetailer;
let portal: PortalVisitor;
let user: PortalUser;

beforeAll(async () => {
  retailer = await aRetailer(settings);
  portal = new PortalVisitor();
  user = await portal.user(retailer.api, 'managers');
});

const send = (to: string, fields: readonly (readonly [string, string])[], as = user) =>
  portal.send(to, fields, as);

async function created(granted: readonly string[], as = user, authentication = 'bearer') {
  const fields = [
    ['description', '<b>Till</b>'],
    ['authentication', authentication],
    ...granted.map((permission) => ['permissions', permission] as const),
  ] as const;
  const answer = await send(path, fields, as);
  expect(answer.status).toBe(200);
  return textOf(answer);
}
const tokenIn = (html: string) => /eyJ[\w-]+\.[\w-]+\.[\w-]+/.exec(html)?.[0] ?? '';
const keyIn = (html: string) => /<code>([\w-]{20})<\/code>/.exec(html)?.[1] ?? '';
const withToken = (token: string) =>
  new Client(sharedPlatform().credentials.baseUrl, { headers: { authorization: `Bearer ${token}` } });

/** The page of the client with a key. */
async function pageOf(key: string): Promise<string> {
  const list = textOf(await portal.get(path, user));
  const row = list.split('<tr>').find((one) => one.includes(key)) ?? '';
  return /href="([^"]+)"/.exec(row)?.[1] ?? '';
}

it('creates a client whose token works immediately, with commands to copy, and shows the secrets once', async () => {
  const html = await created(['view.post_receipt', 'view.get_receipt']);
  const api = withToken(tokenIn(html));
  expect((await api.post('/receipts', aReceipt())).status).toBe(201);
  expect((await api.get('/stores')).status).toBe(403);
  for (const text of [
    `kid: &#39;${keyIn(html)}&#39;`,
    'curl -i',
    '&lt;b&gt;Till&lt;/b&gt;',
    'Post receipts, and reserve their links',
  ])
    expect(html).toContain(text);
  const again = textOf(await portal.get(await pageOf(keyIn(html)), user));
  expect([tokenIn(again), again.includes('Copy it now')]).toEqual(['', false]);
});

it('lists all clients, page by page', async () => {
  const busy = await aRetailer(settings);
  const manager = await portal.user(busy.api, 'managers');
  for (let i = 0; i < 50; i++) {
    const client = { description: 'Till', permissions: ['view.get_receipt'] };
    for (const authentication of ['bearer', 'hmac'])
      expect((await busy.api.post(`/clients/${authentication}`, client)).status).toBe(201);
  }
  const first = textOf(await portal.get(path, manager));
  const second = textOf(await portal.get(olderIn(first), manager));
  const pages = [first, second].map((page) =>
    [...page.matchAll(/integration\/((?:bearer|hmac)\/\d+)/g)].map(([, client]) => client),
  );
  expect(pages.map(({ length }) => length)).toEqual([100, 2]);
  expect(new Set(pages.flat()).size).toBe(102);
});

it('shows the last calls of a client with status and request id', async () => {
  const html = await created(['view.get_receipt']);
  const api = withToken(tokenIn(html));
  await api.call('/receipts', { headers: { 'request-id': 'my-first-call' } });
  await api.call('/stores', { headers: { 'request-id': 'my-second-call' } });
  const page = await pageOf(keyIn(html));
  const shown = await until('the calls are shown', async () => {
    const text = textOf(await portal.get(page, user));
    return text.includes('my-second-call') && text.includes('my-first-call') && text;
  });
  const rows = shown.split('<tr>').filter((row) => row.includes('-call'));
  expect(rows.map((row) => /badge \w+">(\d+)</.exec(row)?.[1])).toEqual(['403', '200']);
  expect(rows[0]).toContain('GET /stores');
});

it("issues and replaces tokens, and revokes and restores the client's access", async () => {
  const html = await created(['view.get_receipt']);
  const page = await pageOf(keyIn(html));
  const first = withToken(tokenIn(html));
  const replaced = tokenIn(
    textOf(
      await send(page, [
        ['action', 'replace'],
        ['days', '1'],
      ]),
    ),
  );
  await until('the earlier token is refused', async () => (await first.get('/receipts')).status === 401);
  expect((await withToken(replaced).get('/receipts')).status).toBe(200);
  expect(locationOf(await send(page, [['action', 'revoke']]))).toEqual([303, `${page}?done=revoked`]);
  await until(
    'the client is revoked',
    async () => (await withToken(replaced).get('/receipts')).status === 401,
  );
  expect((await send(page, [['action', 'issue']])).status).toBe(422);
  expect((await send(page, [['action', 'restore']])).status).toBe(303);
  await until(
    'the client works again',
    async () => (await withToken(replaced).get('/receipts')).status === 200,
  );
});

it('rotates a secret without interruption: a replacement has the same permissions, and works beside the old client', async () => {
  const html = await created(['view.get_receipt']);
  const page = await pageOf(keyIn(html));
  const first = withToken(tokenIn(html));
  const answer = await send(page, [['action', 'succeed']]);
  const replacement = textOf(answer);
  expect([answer.status, replacement.includes(`This client replaces ${keyIn(html)}.`)]).toEqual([200, true]);
  expect(keyIn(replacement)).not.toBe(keyIn(html));
  expect(replacement).toContain('<code>view.get_receipt</code>');
  const next = await pageOf(keyIn(replacement));
  const token = tokenIn(
    textOf(
      await send(next, [
        ['action', 'issue'],
        ['days', '1'],
      ]),
    ),
  );
  for (const client of [first, withToken(token)]) expect((await client.get('/receipts')).status).toBe(200);
  await send(page, [['action', 'revoke']]);
  await until('the old client is refused', async () => (await first.get('/receipts')).status === 401);
  expect((await withToken(token).get('/receipts')).status).toBe(200);
});

it('does not grant permissions that the user lacks', async () => {
  const integrator = await portal.user(retailer.api, 'integrators');
  await created(['view.get_receipt'], integrator);
  const form = textOf(await portal.get(path, integrator));
  expect([form.includes('value="view.get_receipt"'), form.includes('value="view.*"')]).toEqual([true, false]);
  const fields = (permission: string) =>
    [
      ['description', 'x'],
      ['authentication', 'hmac'],
      ['permissions', permission],
    ] as const;
  expect((await send(path, fields('view.delete_receipt'), integrator)).status).toBe(403);
  expect((await send(path, fields('view.unknown'), integrator)).status).toBe(422);
  const strong = await pageOf(keyIn(await created(['view.*'])));
  for (const action of ['issue', 'replace', 'revoke'])
    expect((await send(strong, [['action', action]], integrator)).status).toBe(403);
});

it('is available only to users who may see clients, and only for their retailer', async () => {
  const page = await pageOf(keyIn(await created(['view.get_receipt'])));
  const clerk = await portal.user(retailer.api, 'clerks');
  for (const one of [path, page]) {
    expect((await portal.get(one, clerk)).status).toBe(403);
    expect(locationOf(await portal.client.get(one))).toEqual([303, '/portal/sign-in']);
  }
  expect((await send(page, [['action', 'revoke']], clerk)).status).toBe(403);
  expect((await send(page, [['action', 'revoke']], { ...user, csrf: clerk.csrf })).status).toBe(403);
  const other = await aRetailer(settings);
  const stranger = await portal.user(other.api, 'managers');
  const clients = (await other.api.get('/clients/bearer')).body.clients as unknown[];
  expect(textOf(await portal.get(path, stranger)).split('/portal/integration/bearer/')).toHaveLength(
    clients.length + 1,
  );
  const unknown = '/portal/integration/bearer/999';
  expect((await portal.get(unknown, stranger)).status).toBe(404);
  expect((await send(unknown, [['action', 'issue']], stranger)).status).toBe(404);
});
