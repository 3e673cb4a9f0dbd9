import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@receipts/testing';
import { expectStatus, type TestRetailer } from './harness/client';
import { mailsTo } from './harness/mails';
import { inBrowserOf } from './harness/portal-browser';
import { portalAddress, PortalVisitor, textOf, type PortalUser } from './harness/portal-visitor';
import { aReceipt } from './harness/receipts';
import { aRetailer } from './harness/shared-platform';
import { faultsOfPage } from './harness/usable-pages';

const path = '/portal/notifications';
const everything = ['daily_totals', 'failed_packets', 'disabled_webhooks', 'failing_checks'];
/** The e-mails are planned once a minute, and further causes of a warning are waited for. */
const mailLimitMs = 240_000;

const gone = http.createServer((_request, response) => response.writeHead(410).end());

let retailer: TestRetailer;
let portal: PortalVisitor;

beforeAll(async () => {
  await new Promise<void>((ready) => gone.listen(0, '127.0.0.1', ready));
  retailer = await aRetailer({
    timezone: 'UTC',
    portal_groups: ['managers', 'clerks'],
    portal_permissions: { managers: ['view.*'], clerks: ['view.get_receipt'] },
  });
  portal = new PortalVisitor();
  for (const [n, name] of ['Opera', 'Bastille'].entries()) {
    expectStatus(await retailer.api.post('/stores', { reference: n + 1, name, country: 'FRA' }), 201);
  }
});
afterAll(() => new Promise((closed) => gone.close(closed)));

const put = (email: string, body: object) =>
  retailer.api.put(`/portal/user/${email}`, { group: 'managers', status: 'active', ...body });

/** A user of the API who does not sign in. */
async function aManager(body: object): Promise<string> {
  const email = portalAddress();
  expectStatus(await put(email, { send_password_reset_on_create: false, ...body }), 201);
  return email;
}

/** The text parts of the e-mails about the business. */
const told = (email: string) =>
  mailsTo(email)
    .filter((mail) => mail.includes('/portal/unsubscribe/'))
    .map((mail) => /Content-Type: text\/plain[^]*?\r\n\r\n([^]*?)\r\n--/.exec(mail)?.[1] ?? mail);

const save = (user: PortalUser, fields: readonly (readonly [string, string])[]) =>
  portal.client.call(path, {
    method: 'POST',
    body: new URLSearchParams(
      [['csrf', user.csrf], ...fields].map(([name, value]) => [name, value] as [string, string]),
    ).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', cookie: user.cookie },
  });

it('keeps what a user chooses, and offers only what the user may see', async () => {
  const user = await portal.user(retailer.api, 'managers');
  const chosen = await save(user, [
    ['types', 'daily_totals'],
    ['types', 'failing_checks'],
    ['percent', '20'],
    ['scope', 'some'],
    ['stores', '2'],
  ]);
  expect([chosen.status, chosen.headers.location]).toEqual([303, `${path}?done=saved`]);
  const page = textOf(await portal.get(path, user));
  expect(page).toMatch(/value="daily_totals"\s+checked/);
  expect(page).not.toMatch(/value="failed_packets"\s+checked/);
  expect(page).toMatch(/name="percent"[^>]*value="20"/);
  expect(page).toMatch(/value="2"\s+checked/);
  expect(
    (
      await save(user, [
        ['types', 'failing_checks'],
        ['percent', '0'],
        ['scope', 'all'],
      ])
    ).status,
  ).toBe(422);
  expect(
    (
      await save(user, [
        ['types', 'daily_totals'],
        ['scope', 'some'],
      ])
    ).status,
  ).toBe(422);
  const tooMany = Array.from({ length: 101 }, (_, n) => ['stores', `${n}`] as const);
  expect((await save(user, [['types', 'daily_totals'], ['scope', 'some'], ...tooMany])).status).toBe(422);
  expect((await save({ ...user, csrf: 'x' }, [['scope', 'all']])).status).toBe(403);

  const clerk = textOf(await portal.get(path, await portal.user(retailer.api, 'clerks')));
  expect(clerk).not.toContain('name="types"');
});

it('can be used by everybody, at every size, in light and dark mode', async () => {
  const user = await portal.user(retailer.api, 'managers');
  await inBrowserOf(user, async (page, at) => {
    await page.goto(at(path));
    await page.click('input[value="daily_totals"]');
    await Promise.all([page.waitForNavigation(), page.click('form.card button')]);
    expect(page.url()).toBe(at(`${path}?done=saved`));
    expect(await faultsOfPage(page)).toEqual([]);
  });
});

it('sends the totals of the day and one warning to those who want and may get them, and to nobody else', async () => {
  const notifications = { types: everything };
  const chief = await portal.user(retailer.api, 'managers');
  const head = chief.email;
  // Totals come a quarter of an hour after midnight.
  const yesterday = new Date(Date.now() - 86_400_000 - 15 * 60_000).toISOString().slice(0, 10);
  for (const [store, total] of [
    ['1', 12.5],
    ['2', 40],
  ] as const) {
    const receipt = aReceipt({
      store_reference: store,
      total,
      items: [{ name: 'Tea', quantity: 1, total }],
      payments: [{ method: 'card', amount: total }],
      localtime: `${yesterday}T12:00:00+00:00`,
      identifier: 'consumer@example.com',
    });
    expectStatus(await retailer.api.post('/receipts', receipt), 201);
  }
  // Only now: the e-mail about a day is planned as soon as somebody wants it, and not repeated for later receipts.
  expectStatus(await put(head, { notifications: { ...notifications, language: 'de' } }), 204);
  const ofStore = await aManager({ stores: [2], notifications });
  const choosy = await aManager({ notifications: { types: ['daily_totals'], stores: [1] } });
  const others = [
    await aManager({ notifications, status: 'inactive' }),
    await aManager({ notifications, group: 'clerks' }),
    await aManager({}),
  ];
  // The failure of the packets disables the endpoint, so that all causes come within the time that an e-mail waits for.
  const url = `http://127.0.0.1:${(gone.address() as AddressInfo).port}/hook`;
  const endpoint = { url, description: 'Stock system', event_types: ['pos_receipt.failed'] };
  expectStatus(await retailer.api.post('/webhooks/endpoints', endpoint), 201);
  for (const body of ['no slip', 'no slip either']) {
    expectStatus(
      await retailer.api.call('/pos/receipts', {
        method: 'POST',
        body,
        headers: { 'content-type': 'text/plain' },
      }),
      202,
    );
  }

  const find = (email: string, text: string) =>
    until(`${text} to ${email}`, () => told(email).find((mail) => mail.includes(text)), mailLimitMs);
  expect(await find(head, 'Summen vom')).toMatch(/Opera[^]*12,50[^]*Bastille[^]*40,00[^]*Zusammen[^]*52,50/);
  expect(await find(ofStore, 'Totals of')).toMatch(/^(?![^]*Opera)[^]*Bastille[^]*40\.00/);
  expect(await find(choosy, 'Totals of')).toMatch(/^(?![^]*Bastille)[^]*Opera[^]*12\.50/);
  const warning = await find(head, 'Pakete, die nicht umgewandelt werden konnten: 2');
  expect(warning).toContain('Webhook-Endpunkt deaktiviert: Stock system');
  expect(told(head)).toHaveLength(2);
  expect([ofStore, choosy].map((email) => told(email).length)).toEqual([1, 1]);
  expect(others.map((email) => told(email).length)).toEqual([0, 0, 0]);
  expect(JSON.stringify([head, ofStore, choosy].map(told))).not.toContain('consumer@');

  // One click in the mail program stops them, without signing in; opening the link does not.
  const [link = ''] = /\/portal\/unsubscribe\/[\w.-]+/.exec(told(head)[0] ?? '') ?? [];
  expect(mailsTo(head).some((mail) => /^List-Unsubscribe-Post: List-Unsubscribe=One-Click/m.test(mail))).toBe(
    true,
  );
  expect((await portal.client.get(link)).status).toBe(200);
  const isChosen = async () => /value="daily_totals"\s+checked/.test(textOf(await portal.get(path, chief)));
  expect(await isChosen()).toBe(true);
  expect((await portal.submit(link, { 'List-Unsubscribe': 'One-Click' })).status).toBe(200);
  expect(await isChosen()).toBe(false);
  expect((await portal.submit(`${link}x`, {})).status).toBe(404);
}, 600_000);
