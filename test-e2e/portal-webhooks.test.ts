import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { until } from '@receipts/testing';
import type { TestRetailer } from './harness/client';
import { locationOf, PortalVisitor, textOf, type PortalUser } from './harness/portal-visitor';
import { aReceipt } from './harness/receipts';
import { aRetailer } from './harness/shared-platform';

const path = '/portal/webhooks';

let retailer: TestRetailer;
let portal: PortalVisitor;
let user: PortalUser;
let url: string;
let status = 204;
const messages: { readonly headers: Record<string, string>; readonly text: string }[] = [];
const receiver = http.createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    messages.push({
      headers: request.headers as Record<string, string>,
      text: Buffer.concat(chunks).toString(),
    });
    response.writeHead(status).end('<b>thanks</b>');
  });
});

const settings = {
  portal_groups: ['managers', 'clerks'],
  portal_permissions: { managers: ['view.*'], clerks: ['view.get_receipt'] },
};

beforeAll(async () => {
  retailer = await aRetailer(settings);
  portal = new PortalVisitor();
  user = await portal.user(retailer.api, 'managers');
  await new Promise<void>((ready) => receiver.listen(0, '127.0.0.1', ready));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
});
beforeEach(() => {
  messages.length = 0;
  status = 204;
});
afterEach(async () => {
  const { body } = await retailer.api.get('/webhooks/endpoints');
  for (const { id } of body.endpoints) {
    await retailer.api.call(`/webhooks/endpoints/${id}`, { method: 'DELETE' });
  }
});
afterAll(() => new Promise((closed) => receiver.close(closed)));

const send = (id: string, fields: Record<string, string>, as = user) =>
  portal.submit(`${path}/${id}`, { csrf: as.csrf, ...fields }, as.cookie);

const settingsOf = (changes: Record<string, string> = {}) => ({
  action: 'save',
  url,
  description: '<b>mine</b>',
  event_types: 'receipt.created, receipt.updated',
  filter: '',
  payload: 'thin',
  ordering: 'none',
  enabled: 'true',
  ...changes,
});

/** Creates an endpoint; the page shows its secret. */
async function created(changes: Record<string, string> = {}): Promise<{ id: string; secret: string }> {
  const answer = await send('new', settingsOf(changes));
  expect(answer.status).toBe(200);
  const id = /action="\/portal\/webhooks\/([0-9a-f]{24})"/.exec(textOf(answer))?.[1] ?? '';
  return { id, secret: /whsec_[A-Za-z0-9+/=]+/.exec(textOf(answer))?.[0] ?? '' };
}
const come = (count: number) => until(`${count} messages`, async () => messages.length >= count);
const pageOf = async (id: string) => textOf(await portal.get(`${path}/${id}`, user));

it('lists all endpoints, page by page', async () => {
  const large = await aRetailer(settings);
  const visitor = await portal.user(large.api, 'managers');
  const create = async (description: string) =>
    expect((await large.api.post('/webhooks/endpoints', { url, description })).status).toBe(201);
  await create('the oldest');
  await Promise.all(Array.from({ length: 100 }, (_, n) => create(`endpoint ${n}`)));
  const first = textOf(await portal.get(path, visitor));
  expect(first).not.toContain('the oldest');
  const [, older = ''] = /rel="next" href="[^"]*older=([^"&]+)"/.exec(first) ?? [];
  const second = textOf(await portal.get(path, visitor, { older }));
  expect(second).toContain('the oldest');
  expect(second).not.toContain('rel="next"');
});

it('lists endpoints and event types, each with its schema', async () => {
  const { id } = await created();
  const list = textOf(await portal.get(path, user));
  for (const text of [`${path}/${id}`, '&lt;b&gt;mine&lt;/b&gt;', 'href="/schemas/receipt.created/1"']) {
    expect(list).toContain(text);
  }
  expect(list).not.toContain('<b>mine');
  expect((await portal.client.get('/schemas/receipt.created/1')).status).toBe(200);
});

it('shows a secret once, and signs events and test events with it', async () => {
  const { id, secret } = await created();
  expect(await pageOf(id)).not.toContain('whsec_');
  expect(locationOf(await send(id, { action: 'test' }))).toEqual([303, `${path}/${id}?done=tested`]);
  await retailer.api.post('/receipts', aReceipt());
  await come(2);
  const types = messages.map(({ text, headers }) => {
    new Webhook(secret).verify(text, headers);
    return JSON.parse(text).type;
  });
  expect(types.sort()).toEqual(['receipt.created', 'webhook.test']);
  const rotated = await send(id, { action: 'rotate' });
  const next = /whsec_[A-Za-z0-9+/=]+/.exec(textOf(rotated))?.[0] ?? '';
  expect([rotated.status, next === secret]).toEqual([200, false]);
  expect(await pageOf(id)).not.toContain('whsec_');
  await send(id, { action: 'test' });
  await come(3);
  const { text, headers } = messages[2]!;
  new Webhook(next).verify(text, headers);
});

it('shows deliveries with request and response, and resends one', async () => {
  const { id } = await created();
  status = 500;
  await retailer.api.post('/receipts', aReceipt());
  const shown = await until('the attempt is shown', async () => {
    const html = await pageOf(id);
    return html.includes('&lt;b&gt;thanks&lt;/b&gt;') && html;
  });
  const body = '&quot;type&quot;: &quot;receipt.created&quot;';
  for (const text of ['webhook-id: ', `POST ${url}`, body]) expect(shown).toContain(text);
  const delivery = /name="delivery" value="([^"]+)"/.exec(shown)?.[1] ?? '';
  status = 204;
  expect(locationOf(await send(id, { action: 'replay', delivery }))).toEqual([
    303,
    `${path}/${id}?done=replayed`,
  ]);
  await until('the delivery has succeeded', async () => (await pageOf(id)).includes('badge good">succeeded'));
});

it('counts the receipts that a filter would have matched, even with several optional conditions', async () => {
  const { api } = await aRetailer(settings);
  const own = await portal.user(api, 'managers');
  const localtime = new Date().toISOString();
  for (const [method, total] of [
    ['cash', 5],
    ['card', 50],
    ['gift', 500],
  ] as const) {
    await api.post('/receipts', aReceipt({ localtime, total, payments: [{ method, amount: total }] }));
  }
  const countOf = async (filter: string) => {
    const answer = await send('new', settingsOf({ action: 'run', filter }), own);
    return /data-live>([^<]*)</.exec(textOf(answer))?.[1];
  };
  expect(await countOf('')).toBe('3 receipts from the last 24 hours match.');
  expect(await countOf('payments.method:cash payments.method:card')).toBe(
    '2 receipts from the last 24 hours match.',
  );
  expect(await countOf('+total:[100 TO *]')).toBe('1 receipt from the last 24 hours matches.');
  expect(await countOf('-payments.method:cash')).toBe('2 receipts from the last 24 hours match.');
  expect(await countOf('nonsense:1')).toContain('nonsense is not a valid field');
});

it('saves, disables and deletes an endpoint, and sends the events that it missed', async () => {
  const { id } = await created();
  const disabled = await send(id, settingsOf({ enabled: 'false', filter: '+total:[100 TO *]' }));
  expect(locationOf(disabled)).toEqual([303, `${path}/${id}?done=saved`]);
  const { body } = await retailer.api.get(`/webhooks/endpoints/${id}`);
  expect(body).toMatchObject({ enabled: false, filter: '+total:[100 TO *]' });
  expect((await send(id, { action: 'recover', since: '2026-01-01' })).status).toBe(409);
  await send(id, settingsOf());
  expect((await send(id, { action: 'recover', since: '2026-01-01' })).status).toBe(303);
  await come(1);
  expect((await send(id, { action: 'recover', since: 'soon' })).status).toBe(422);
  expect(locationOf(await send(id, { action: 'delete' }))).toEqual([303, `${path}?done=deleted`]);
  expect((await portal.get(`${path}/${id}`, user)).status).toBe(404);
});

it('states what is wrong, and keeps the entered text', async () => {
  const answer = await send('new', settingsOf({ url: 'nowhere', event_types: 'receipt.* unknown.type' }));
  expect(answer.status).toBe(422);
  for (const text of ['URL: must be an https address', 'Events 2: ', 'value="nowhere"'])
    expect(textOf(answer)).toContain(text);
  const filtered = await send('new', settingsOf({ filter: 'nonsense' }));
  expect([filtered.status < 500, textOf(filtered).includes('role="alert"')]).toEqual([true, true]);
});

it('is available only to users who may manage webhooks, and only for their retailer', async () => {
  const { id } = await created();
  const clerk = await portal.user(retailer.api, 'clerks');
  for (const page of [path, `${path}/${id}`, `${path}/new`]) {
    expect((await portal.get(page, clerk)).status).toBe(403);
    expect(locationOf(await portal.client.get(page))).toEqual([303, '/portal/sign-in']);
  }
  expect((await send(id, { action: 'delete' }, clerk)).status).toBe(403);
  expect((await send(id, { action: 'delete' }, { ...user, csrf: clerk.csrf })).status).toBe(403);
  const stranger = await portal.user((await aRetailer(settings)).api, 'managers');
  expect(textOf(await portal.get(path, stranger))).not.toContain(id);
  expect((await portal.get(`${path}/${id}`, stranger)).status).toBe(404);
  for (const action of ['save', 'test', 'rotate', 'recover', 'delete']) {
    const fields = { ...settingsOf(), action, since: '2026-01-01' };
    expect((await send(id, fields, stranger)).status).toBe(404);
  }
  expect((await retailer.api.get(`/webhooks/endpoints/${id}`)).status).toBe(200);
});
