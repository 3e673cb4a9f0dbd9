import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { until } from '@receipts/testing';
import type { Client, TestRetailer } from './harness/client';
import type { HttpResponse } from './harness/http';
import { mailsTo } from './harness/mails';
import {
  locationOf,
  olderIn,
  portalAddress as anAddress,
  portalPassword as password,
  PortalVisitor,
  textOf,
  tokenOf,
} from './harness/portal-visitor';
import { aReceipt, uniqueId } from './harness/receipts';
import { aRetailer } from './harness/shared-platform';

let retailer: TestRetailer;
let other: TestRetailer;
let portal: PortalVisitor;
let visitor: Client;

const settings = {
  portal_groups: ['managers', 'clerks', 'none'],
  portal_permissions: { managers: ['view.*'], none: [] },
};

beforeAll(async () => {
  [retailer, other] = await Promise.all([aRetailer(settings), aRetailer(settings)]);
  portal = new PortalVisitor();
  visitor = portal.client;
});

const submit: PortalVisitor['submit'] = (...form) => portal.submit(...form);
const invited = (group = 'managers', api = retailer.api) => portal.invited(api, group);
const aUser = (group = 'managers', api = retailer.api) => portal.user(api, group);
const home = (cookie: string, query: Record<string, string> = {}) =>
  portal.get('/portal/', { cookie }, query);

async function posted(
  overrides: object = {},
  api = retailer.api,
): Promise<{ id: string; transaction: string }> {
  const transaction = uniqueId('P');
  const answer = await api.post('/receipts', aReceipt({ transaction_id: transaction, ...overrides }));
  expect(answer.status).toBe(201);
  return { id: answer.body.id, transaction };
}

describe('signing in', () => {
  it('leads from the e-mail to a password and to a session that is accessible only with its cookie', async () => {
    const { email, link } = await invited();
    const page = await visitor.get(link);
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(textOf(page)).toContain(email);

    const token = tokenOf(link);
    const tries: [string, string, number][] = [
      ['Password1234', 'Password1234', 422],
      ['too short', 'too short', 422],
      [password, `${password}!`, 422],
    ];
    for (const [first, again, status] of tries) {
      const answer = await submit('/portal/password', {
        token,
        password: first,
        password_confirmation: again,
      });
      expect([answer.status, textOf(answer).includes('role="alert"')]).toEqual([status, true]);
    }
    expect(
      locationOf(await submit('/portal/password', { token, password, password_confirmation: password })),
    ).toEqual([303, '/portal/sign-in?done=password&next=%2Fportal%2Fstart']);

    const signIn = await submit('/portal/sign-in', { email: email.toUpperCase(), password });
    expect(locationOf(signIn)).toEqual([303, '/portal/']);
    expect(signIn.headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^__Host-portal=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=\d+$/,
      ),
    ]);
    const cookie = signIn.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    expect((await home(cookie)).status).toBe(200);
    expect(locationOf(await home(''))).toEqual([303, '/portal/sign-in']);
    expect(locationOf(await home('__Host-portal=' + 'a'.repeat(43)))).toEqual([303, '/portal/sign-in']);
    expect((await portal.get('/portal', { cookie })).status).toBe(200);
  });

  it('accepts a link once, and never an invented link', async () => {
    const { link } = await invited();
    const token = tokenOf(link);
    const again = password;
    expect((await submit('/portal/password', { token, password, password_confirmation: again })).status).toBe(
      303,
    );
    expect((await submit('/portal/password', { token, password, password_confirmation: again })).status).toBe(
      404,
    );
    expect((await visitor.get(link)).status).toBe(404);
    const [id] = token.split('.');
    for (const wrong of ['', 'x', `${id}.`, `${id}.${'a'.repeat(43)}`, `.${'a'.repeat(43)}`]) {
      expect((await visitor.get('/portal/password', { token: wrong })).status).toBe(404);
      expect(
        (await submit('/portal/password', { token: wrong, password, password_confirmation: again })).status,
      ).toBe(404);
    }
  });

  it('allows only one of two visitors with the same link to set the password', async () => {
    const { link } = await invited();
    const token = tokenOf(link);
    const statuses = await Promise.all(
      [password, `${password} 2`].map(
        async (each) =>
          (await submit('/portal/password', { token, password: each, password_confirmation: each })).status,
      ),
    );
    expect(statuses.sort()).toEqual([303, 404]);
  });

  it('returns the same response for unknown users and wrong passwords', async () => {
    const { email } = await aUser();
    const wrong = await submit('/portal/sign-in', { email, password: 'wrong' });
    const unknown = await submit('/portal/sign-in', { email: anAddress(), password: 'wrong' });
    const odd = await submit('/portal/sign-in', { email: '<script>alert(1)</script>', password: 'wrong' });
    expect([wrong.status, unknown.status, odd.status]).toEqual([403, 403, 403]);
    const said = (answer: HttpResponse) => /role="alert">([^<]*)</.exec(textOf(answer))?.[1];
    expect(said(wrong)).toBe(said(unknown));
    expect(textOf(odd)).not.toContain('<script>');
  });

  it('does not allow inactive users to sign in or use their sessions', async () => {
    const { email, cookie } = await aUser();
    const put = (status: string) => retailer.api.put(`/portal/user/${email}`, { group: 'managers', status });
    expect((await put('inactive')).status).toBe(204);
    expect(locationOf(await home(cookie))).toEqual([303, '/portal/sign-in']);
    expect((await submit('/portal/sign-in', { email, password })).status).toBe(403);
    await put('active');
    expect((await home(cookie)).status).toBe(200);
  });

  it('does not lock out a user for the guesses of others', async () => {
    const { email } = await aUser();
    const stranger = visitor.with({ agent: new Agent({ localAddress: '127.0.0.2' }) });
    const body = new URLSearchParams({ email, password: 'wrong' }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const statuses: number[] = [];
    for (let i = 0; i < 11; i++) {
      statuses.push((await stranger.call('/portal/sign-in', { method: 'POST', headers, body })).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 403), 429]);
    expect((await submit('/portal/sign-in', { email, password })).status).toBe(303);
  });

  it('allows ten attempts of a network in 15 minutes, even for unknown addresses', async () => {
    for (const email of [(await aUser()).email, anAddress()]) {
      const statuses: number[] = [];
      for (let i = 0; i < 11; i++) {
        statuses.push((await submit('/portal/sign-in', { email, password: 'wrong' })).status);
      }
      expect(statuses).toEqual([...Array.from({ length: 10 }, () => 403), 429]);
      expect((await submit('/portal/sign-in', { email, password })).status).toBe(429);
    }
  });

  it('gives known and unknown users the same response when they forget their password, and e-mails known users', async () => {
    const { email, cookie } = await aUser();
    const before = mailsTo(email).length;
    const known = await submit('/portal/forgotten', { email });
    const unknown = await submit('/portal/forgotten', { email: anAddress() });
    expect([known.status, textOf(known)]).toEqual([200, textOf(unknown)]);
    await until('the e-mail', () => mailsTo(email).length > before);
    const links = mailsTo(email).map((mail) => /\/portal\/password\?token=\S+/.exec(mail)?.[0] ?? '');
    const pages = await Promise.all(links.map((link) => visitor.get(link.replace(/["<].*$/, ''))));
    const at = pages.findIndex(({ status }) => status === 200);
    const token = tokenOf((links[at] ?? '').replace(/["<].*$/, ''));
    const next = 'another set of words';
    expect(
      (await submit('/portal/password', { token, password: next, password_confirmation: next })).status,
    ).toBe(303);
    // Sessions that were started with the old password have ended.
    expect(locationOf(await home(cookie))).toEqual([303, '/portal/sign-in']);
    expect((await submit('/portal/sign-in', { email, password })).status).toBe(403);
    expect((await submit('/portal/sign-in', { email, password: next })).status).toBe(303);
  });

  it('invalidates the cookie after signing out', async () => {
    const { cookie, csrf } = await aUser();
    const answer = await submit('/portal/sign-out', { csrf }, cookie);
    expect(locationOf(answer)).toEqual([303, '/portal/sign-in?done=out']);
    expect(answer.headers['set-cookie']?.[0]).toMatch(/^__Host-portal=; .*Max-Age=0$/);
    expect(locationOf(await home(cookie))).toEqual([303, '/portal/sign-in']);
  });

  it('lists on the start page the first steps that the user may take', async () => {
    const [manager, clerk] = [await aUser(), await aUser('clerks')];
    const start = async ({ cookie }: typeof clerk) =>
      textOf(await visitor.get('/portal/start', {}, { cookie })).split('<main')[1] ?? '';
    const steps = (page: string) => [...page.matchAll(/<li>\s+<a href="([^"]+)">/g)].map(([, path]) => path);
    const page = await start(manager);
    expect(steps(page)).toEqual(
      expect.arrayContaining(['/portal/brand', '/portal/users', '/portal/integration']),
    );
    // There are several users, but the brand is still the default.
    expect(page).toMatch(/users">Invite your colleagues<\/a>\s+<span class="badge good">done/);
    expect(page).toMatch(/brand">Give receipts your brand<\/a>\s+<span class="badge warn">to do/);
    expect(steps(await start(clerk))).toEqual(['/portal/']);
    const next = '/portal/start';
    const { headers } = await submit('/portal/sign-in', { email: clerk.email, password, next });
    expect(headers.location).toBe(next);
  });

  it('redirects only to receipts', async () => {
    const { email } = await aUser();
    const id = randomBytes(12).toString('hex');
    const to = async (next: string) =>
      (await submit('/portal/sign-in', { email, password, next })).headers.location;
    expect(await to(`/portal/receipts/${id}`)).toBe(`/portal/receipts/${id}`);
    for (const next of ['https://evil.example', '//evil.example', '/portal/receipts/../../x', 'javascript:1'])
      expect(await to(next)).toBe('/portal/');
  });
});

describe('finding receipts', () => {
  it('finds receipts by words, numbers, amounts and days, by filters, and by the search language', async () => {
    const { cookie } = await aUser('clerks');
    const customer = `${uniqueId('c')}@demo.example`;
    const mail = `${uniqueId('m')}@demo.example`;
    const one = await posted({
      identifier: customer,
      store_reference: 'corner-shop',
      localtime: '2026-02-11T12:30:00+00:00',
      items: [{ name: 'Purple umbrella', quantity: 1, total: 19.99 }],
      total: 19.99,
      payments: [{ method: 'card', amount: 19.99, number: '4321' }],
      properties: { email: mail },
    });
    await posted();
    const queries: Record<string, string>[] = [
      { query: customer },
      { query: mail },
      { query: one.transaction },
      { store: 'corner-shop' },
      { query: '"purple umbrella"' },
      { query: '19,99 4321' },
      { from: '2026-02-11', to: '2026-02-11' },
      { query: '2026-02-11' },
      { least: '19,98', most: '20' },
      { query: '+items.name:umbrella +total:[19 TO 20]' },
      { query: `${customer} umbr ${one.transaction}`, store: 'corner-shop', from: '2026-02-01' },
    ];
    for (const query of queries) {
      const page = textOf(await home(cookie, query));
      expect([query, page.includes('1 receipt found'), page.includes(one.transaction)]).toEqual([
        query,
        true,
        true,
      ]);
    }
    expect(textOf(await home(cookie, { query: 'nobody' }))).toContain('No receipts found.');
    expect(textOf(await home(cookie))).toContain('Latest receipts');
  });

  it('explains invalid queries, and escapes hostile texts', async () => {
    const { cookie } = await aUser();
    const amount = await home(cookie, { least: 'ten' });
    expect([amount.status, textOf(amount).includes('The amount must be a number')]).toEqual([400, true]);
    const wrong = await home(cookie, { query: 'colour:red' });
    expect([wrong.status, textOf(wrong).includes('colour is not a valid field')]).toEqual([400, true]);
    const hostile = '"><script>alert(1)</script>';
    for (const name of ['query', 'store', 'from', 'to', 'least', 'older']) {
      const page = await home(cookie, { [name]: hostile });
      expect([name, page.status < 500, textOf(page).includes('<script')]).toEqual([name, true, false]);
    }
  });

  it('pages through the latest and through search results', async () => {
    const busy = await aRetailer({ portal_groups: ['managers'] });
    const { cookie } = await aUser('managers', busy.api);
    const receipts = Array.from({ length: 55 }, () => aReceipt({ transaction_id: uniqueId('P') }));
    expect((await busy.api.post('/receipts/_batch', { receipts })).status).toBe(200);
    for (const start of ['/portal/', '/portal/?query=total:*', '/portal/?sort=arrived']) {
      const first = textOf(await visitor.get(start, {}, { cookie }));
      const second = textOf(await visitor.get(olderIn(first), {}, { cookie }));
      const ids = (page: string) =>
        [...page.matchAll(/href="\/portal\/receipts\/([0-9a-f]{24})"/g)].map(([, id]) => id);
      expect([ids(first).length, ids(second).length]).toEqual([50, 5]);
      expect(new Set([...ids(first), ...ids(second)]).size).toBe(55);
      expect(second).toContain('rel="prev"');
    }
  });
});

describe('a receipt', () => {
  const identifierOf = async (id: string) => (await retailer.api.get(`/receipts/${id}`)).body.identifier;

  it('is shown as its consumer sees it, with hostile text escaped', async () => {
    const { cookie } = await aUser();
    const { id, transaction } = await posted({
      items: [{ name: '<img src=x onerror=alert(1)>', quantity: 2, total: 25.48 }],
    });
    const page = textOf(await visitor.get(`/portal/receipts/${id}`, {}, { cookie }));
    expect(page).toContain(transaction);
    // The page of the receipt is a document in an attribute, so its texts are escaped twice.
    expect(page).toContain('&amp;lt;img src=x onerror=alert(1)&amp;gt;');
    expect(page).not.toContain('<img');
    expect(page).toContain('25.48');
  });

  it('is shown with its time, its store and the available channels in words', async () => {
    const { cookie } = await aUser();
    const { id } = await posted({ localtime: '2026-11-26T14:05:00+01:00', store_reference: 1 });
    const page = textOf(await visitor.get(`/portal/receipts/${id}`, {}, { cookie }));
    const { store } = (await retailer.api.get(`/receipts/${id}`)).body;
    expect(page).toContain(store.name === null ? '<dd>1</dd>' : `${store.name} (1)`);
    expect(page).toContain('<dd>26 Nov 2026, 14:05</dd>');
    expect(page).toContain('<h2>Send the receipt</h2>');
    expect(page).toMatch(/<strong>E-mail<\/strong>: can(?:not)? be used,\s/);
    expect(page).not.toMatch(/opt_out|passed\./);
  });

  it('is not in the totals of an earlier period, whose dates the page shows in words', async () => {
    const { cookie } = await aUser();
    const query = { from: '2001-02-03', to: '2001-02-04' };
    const page = textOf(await visitor.get('/portal/totals', query, { cookie }));
    expect(page).toContain('There are no receipts from 3 Feb 2001 to 4 Feb 2001.');
    const today = textOf(await visitor.get('/portal/totals', {}, { cookie }));
    expect(today).toMatch(/id="from"[\s\S]*?value="\d{4}-\d{2}-\d{2}"/);
    // A day may be closed after midnight.
    const [, from = '', day = '', to = ''] =
      /id="from"[^>]*?value="([^"]+)"[\s\S]*?from=([\d-]+)&amp;to=([\d-]+)"[^>]*>Yesterday/.exec(today) ?? [];
    expect([Date.parse(from) - Date.parse(day), to]).toEqual([86_400_000, day]);
  });

  it('is in the chart of the totals of its day, and in their CSV file', async () => {
    const shop = await aRetailer(settings);
    const { cookie } = await aUser('managers', shop.api);
    const payments = [
      { method: 'apple_pay', amount: 10.1 },
      { method: 'cash', amount: 3, currency: 'USD' },
    ];
    await posted({ total: 10.1, payments }, shop.api);
    await posted({ total: 0.2, localtime: '2026-03-15T08:00:00' }, shop.api);
    const query = { from: '2026-03-14', to: '2026-03-15', by: 'day' };
    const page = textOf(await visitor.get('/portal/totals', query, { cookie }));
    const [chart = ''] = /<div class="bars"[\s\S]*?<dl>/.exec(page) ?? [];
    expect(chart.match(/<rect/g)).toHaveLength(2);
    expect(page).toContain('€10.30');
    expect(page).toContain('Paid by Apple Pay (1)');
    expect(page).toContain('US$3.00');
    const [, href = ''] = /href="([^"]*totals\.csv[^"]*)"/.exec(page) ?? [];
    const { pathname, search } = new URL(href.replaceAll('&amp;', '&'), visitor.baseUrl);
    const file = await visitor.get(`${pathname}${search}`, {}, { cookie });
    const days = { from: '2026-03-14', to: '2026-03-15', group_by: 'day' };
    const csv = await shop.api.get('/reports/totals.csv', days, { accept: 'text/csv' });
    expect([file.status, file.bytes.toString()]).toEqual([200, csv.bytes.toString()]);
    expect(csv.bytes.toString().split('\r\n')).toHaveLength(4);
    const { cookie: clerk } = await aUser('none', shop.api);
    expect((await visitor.get(`${pathname}${search}`, {}, { cookie: clerk })).status).toBe(403);
  });

  it("is not found if it is another retailer's or does not exist", async () => {
    const { cookie, csrf } = await aUser();
    const theirs = await posted({}, other.api);
    for (const id of [theirs.id, randomBytes(12).toString('hex'), 'x', '..']) {
      const path = `/portal/receipts/${encodeURIComponent(id)}`;
      expect((await visitor.get(path, {}, { cookie })).status).toBe(404);
      const send = await submit(`${path}/send`, { csrf, email: 'a@demo.example' }, cookie);
      const assign = await submit(`${path}/assign`, { csrf, identifier: 'me' }, cookie);
      expect([send.status, assign.status]).toEqual([404, 404]);
    }
  });

  it('redirects a visitor without a session to the sign-in page, and names the page to return to', async () => {
    const { id } = await posted();
    const answer = await visitor.get(`/portal/receipts/${id}`);
    expect(locationOf(answer)).toEqual([303, `/portal/sign-in?next=%2Fportal%2Freceipts%2F${id}`]);
  });

  it('is sent again, and the delivery is shown', async () => {
    const { cookie, csrf } = await aUser();
    const { id } = await posted();
    const path = `/portal/receipts/${id}`;
    const email = anAddress();
    const sent = await submit(`${path}/send`, { csrf, email }, cookie);
    expect(locationOf(sent)).toEqual([303, `${path}?done=sent`]);
    const after = textOf(await visitor.get(`${path}?done=sent`, {}, { cookie }));
    expect(after).toContain('The receipt is being sent.');
    await until('the e-mail', () => mailsTo(email).length === 1);
    await until('the delivery', async () => {
      const page = textOf(await visitor.get(path, {}, { cookie }));
      return /E-mail<small>[^<]*\*/.test(page) && page.includes('sent');
    });
    const wrong = await submit(`${path}/send`, { csrf, email: 'nowhere' }, cookie);
    expect([wrong.status, textOf(wrong).includes('must be an e-mail address')]).toEqual([422, true]);
  });

  it('explains why it cannot be sent', async () => {
    const { cookie, csrf } = await aUser();
    const { id } = await posted({ identifier: uniqueId('card'), properties: {} });
    const answer = await submit(`/portal/receipts/${id}/send`, { csrf, email: '' }, cookie);
    expect([answer.status, textOf(answer)]).toEqual([
      422,
      expect.stringContaining('No valid e-mail address of the customer is known. Enter an address.'),
    ]);
  });

  it('is assigned once', async () => {
    const { cookie, csrf } = await aUser();
    const { id, transaction } = await posted({ identifier: undefined });
    const path = `/portal/receipts/${id}`;
    const identifier = uniqueId('card');
    const assign = (to: string, confirmed = 'true') =>
      submit(`${path}/assign`, { csrf, identifier: to, confirmed }, cookie);
    const asked = await submit(`${path}/assign`, { csrf, identifier }, cookie);
    expect([asked.status, textOf(asked)]).toEqual([
      200,
      expect.stringContaining(`Assign receipt ${transaction} to ${identifier}?`),
    ]);
    expect(await identifierOf(id)).toBeNull();
    expect(locationOf(await assign(identifier))).toEqual([303, `${path}?done=assigned`]);
    expect(await identifierOf(id)).toBe(identifier);
    const page = textOf(await visitor.get(path, {}, { cookie }));
    expect(page).not.toContain('/assign"');
    expect((await assign('another')).status).toBe(422);
    expect((await assign('')).status).toBe(422);
  });

  it('can be unassigned from a consumer, unless it has been assigned to another consumer in the meantime', async () => {
    const { cookie, csrf } = await aUser();
    const { id } = await posted({ identifier: undefined });
    const path = `/portal/receipts/${id}`;
    const identifier = uniqueId('card');
    await submit(`${path}/assign`, { csrf, identifier, confirmed: 'true' }, cookie);
    const page = textOf(await visitor.get(path, { done: 'assigned' }, { cookie }));
    expect(page).toContain(`action="${path}/unassign"`);
    const undo = (whose: string) => submit(`${path}/unassign`, { csrf, identifier: whose }, cookie);
    expect((await undo('another')).status).toBeGreaterThanOrEqual(400);
    expect(await identifierOf(id)).toBe(identifier);
    expect(locationOf(await undo(identifier))).toEqual([303, `${path}?done=unassigned`]);
    expect(await identifierOf(id)).toBeNull();
  });

  it('shows the packet it came from', async () => {
    const { cookie } = await aUser();
    const { id } = await posted();
    expect(textOf(await visitor.get(`/portal/receipts/${id}`, {}, { cookie }))).not.toContain(
      'From the till',
    );
    const packet = await retailer.api.call('/pos/receipts', {
      method: 'POST',
      body: 'no mapping will do',
      headers: { 'content-type': 'text/plain' },
    });
    expect(packet.status).toBe(202);
    const path = `/portal${packet.headers.location}`;
    await until('the end of the packet', async () => {
      const { status } = await visitor.get(path, {}, { cookie });
      expect([404, 409]).toContain(status);
      return status === 404;
    });
  });

  it('allows groups only what the settings allow them, on the page and in its forms', async () => {
    const { id } = await posted({ identifier: undefined });
    const path = `/portal/receipts/${id}`;
    const clerk = await aUser('clerks');
    const page = textOf(await visitor.get(path, {}, { cookie: clerk.cookie }));
    expect([page.includes('/send"'), page.includes('/assign"')]).toEqual([false, false]);
    expect(
      (await submit(`${path}/unassign`, { csrf: clerk.csrf, identifier: 'a' }, clerk.cookie)).status,
    ).toBe(403);
    const { csrf } = clerk;
    expect((await submit(`${path}/send`, { csrf, email: 'a@demo.example' }, clerk.cookie)).status).toBe(403);
    expect((await submit(`${path}/assign`, { csrf, identifier: 'a' }, clerk.cookie)).status).toBe(403);

    const none = await aUser('none');
    expect((await visitor.get(path, {}, { cookie: none.cookie })).status).toBe(403);
    expect((await home(none.cookie)).status).toBe(403);
  });

  it('rejects forms from other sites and sessions', async () => {
    const { cookie, csrf } = await aUser();
    const stranger = await aUser();
    const { id } = await posted({ identifier: undefined });
    const path = `/portal/receipts/${id}/assign`;
    const fields = { csrf, identifier: 'mallory' };
    const foreign = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of foreign) expect((await submit(path, fields, cookie, headers)).status).toBe(403);
    for (const wrong of ['', 'x', stranger.csrf])
      expect((await submit(path, { ...fields, csrf: wrong }, cookie)).status).toBe(403);
    expect((await retailer.api.get(`/receipts/${id}`)).body.identifier).toBeNull();
    expect((await submit('/portal/sign-in', { email: 'a', password: 'b' }, '', foreign[0])).status).toBe(403);
  });
});
