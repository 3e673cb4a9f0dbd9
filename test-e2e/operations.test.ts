import { until } from '@receipts/testing';
import { Client, type TestRetailer } from './harness/client';
import type { HttpResponse } from './harness/http';
import { sendUnreadableMessage } from './harness/dead-letters';
import { auditedOperator } from './harness/test-platform';
import { anonymous, aRetailer, operator, sharedPlatform } from './harness/shared-platform';

let visitor: Client;
let api: Client;
let retailer: TestRetailer;
let token: string;

beforeAll(async () => {
  const { credentials } = sharedPlatform();
  token = credentials.operator.token;
  // A client without the check against the API description, because errors of HTML pages are also HTML pages.
  visitor = new Client(credentials.baseUrl, {});
  [api, retailer] = await Promise.all([operator(), aRetailer()]);
});

type Fields = Record<string, string> | [string, string][];

const submit = (path: string, fields: Fields, cookie = '', headers = {}) =>
  visitor.call(path, {
    method: 'POST',
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', cookie, ...headers },
  });
const textOf = (answer: HttpResponse) => answer.bytes.toString('utf8');
const locationOf = ({ status, headers }: HttpResponse) => [status, headers.location];
const page = (path: string, cookie: string, query: Record<string, string> = {}) =>
  visitor.get(path, query, { cookie });

async function signedIn(given = token): Promise<{ cookie: string; csrf: string }> {
  const answer = await submit('/operator/sign-in', { token: given });
  expect(locationOf(answer)).toEqual([303, '/operator/']);
  const cookie = answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const csrf = /name="csrf" value="([^"]+)"/.exec(textOf(await page('/operator/', cookie)))?.[1] ?? '';
  return { cookie, csrf };
}

const pages = [
  '/operator/',
  '/operator/pages/queues',
  '/operator/pages/dead-letters',
  '/operator/pages/audit',
];

it('shows pages that do not exist within the operations pages, with a way back', async () => {
  const { cookie, csrf } = await signedIn();
  const browser = { accept: 'text/html', cookie };
  for (const path of ['/operator/pages/nowhere', '/operator/pages/queues/nowhere']) {
    const unknown = await visitor.get(path, {}, browser);
    expect([path, unknown.status]).toEqual([path, 404]);
    expect(textOf(unknown)).toContain('<h1>This page does not exist</h1>');
    expect(textOf(unknown)).toContain('class="sidebar"');
    expect(unknown.headers['content-security-policy']).toContain("default-src 'none'");
  }
  const asProgram = await visitor.get('/operator/pages/nowhere', {}, { accept: 'application/json', cookie });
  expect([asProgram.status, asProgram.body]).toEqual([404, expect.objectContaining({ code: 'not_found' })]);
  const form = { csrf: `${csrf}x`, queue: 'x', action: 'replay' };
  const refused = await submit('/operator/pages/dead-letters', form, cookie, { accept: 'text/html' });
  expect(refused.status).toBe(403);
  expect(textOf(refused)).toContain('<h1>This page could not be shown</h1>');
  expect(textOf(refused)).toContain('class="sidebar"');
});

describe('signing in', () => {
  it("exchanges the operator's token for a session that is accessible only with its cookie", async () => {
    for (const path of ['/operator', '/operator/']) {
      expect(locationOf(await visitor.get(path))[0]).toBe(303);
    }
    const form = await visitor.get('/operator/sign-in');
    expect([form.status, form.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(form.headers['content-security-policy']).toContain("default-src 'none'");
    const answer = await submit('/operator/sign-in', {
      token,
      next: '/operator/pages/dead-letters',
    });
    expect(locationOf(answer)).toEqual([303, '/operator/pages/dead-letters']);
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^__Host-operations=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure; Max-Age=28800$/,
      ),
    ]);
    const cookie = answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    for (const path of pages) {
      const shown = await page(path, cookie);
      expect([path, shown.status, shown.headers['cache-control']]).toEqual([path, 200, 'no-store']);
      expect(textOf(shown)).not.toContain(token);
    }
    expect(locationOf(await page('/operator/sign-in', cookie))).toEqual([303, '/operator/']);
  });

  it('accepts no other token, and does not redirect to other sites', async () => {
    const wrong = [`${token}x`, token.slice(1), '', retailer.bearer.secret, 'a'.repeat(1000)];
    for (const given of wrong) {
      const answer = await submit('/operator/sign-in', { token: given });
      expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined]);
      expect(textOf(answer)).toContain('role="alert"');
      if (given !== '') expect(textOf(answer)).not.toContain(given);
    }
    for (const next of [
      'https://evil.example/',
      '//evil.example',
      '/operator/pages/dead-letters/../../x',
      '/portal/',
    ]) {
      expect(locationOf(await submit('/operator/sign-in', { token, next }))).toEqual([303, '/operator/']);
    }
  });

  it('rejects requests without a session, regardless of their credential', async () => {
    const tries = [
      await anonymous(),
      retailer.api,
      retailer.signed(),
      new Client(visitor.baseUrl, { headers: { authorization: `Bearer ${token}` } }),
      new Client(visitor.baseUrl, { headers: { cookie: `__Host-operations=${'a'.repeat(43)}` } }),
      new Client(visitor.baseUrl, { headers: { cookie: `__Host-operations=${token}` } }),
    ];
    for (const client of tries) {
      for (const path of pages) {
        const answer = await client.get(path);
        expect([path, answer.status]).toEqual([path, 303]);
        expect(answer.headers.location).toMatch(/^\/operator\/sign-in/);
      }
    }
    const deadLetters = {
      csrf: '',
      queue: 'delivery.on-receipt-recorded-or-deleted',
      action: 'discard-all',
      confirmed: 'yes',
    };
    expect((await submit('/operator/pages/dead-letters', deadLetters)).status).toBe(303);
  });

  it('ends the session of an operator who signs out, without affecting other sessions', async () => {
    const [one, other] = [await signedIn(), await signedIn()];
    const out = await submit('/operator/sign-out', { csrf: one.csrf }, one.cookie);
    expect(locationOf(out)).toEqual([303, '/operator/sign-in?done=out']);
    expect(out.headers['set-cookie']?.[0]).toContain('Max-Age=0');
    expect((await page('/operator/', one.cookie)).status).toBe(303);
    expect((await page('/operator/', other.cookie)).status).toBe(200);
  });
});

describe('forms', () => {
  it('are accepted only from our own pages with the secret of their session', async () => {
    const { cookie, csrf } = await signedIn();
    const other = await signedIn();
    const fields = { queue: 'delivery.on-receipt-recorded-or-deleted', action: 'replay-all' };
    const send = (secret: string, headers = {}) =>
      submit('/operator/pages/dead-letters', { ...fields, csrf: secret }, cookie, headers);
    for (const [secret, headers] of [
      ['', {}],
      ['x', {}],
      [other.csrf, {}],
      [csrf, { 'sec-fetch-site': 'cross-site' }],
      [csrf, { 'sec-fetch-site': 'same-site' }],
      [csrf, { origin: 'https://evil.example' }],
    ] as const) {
      expect((await send(secret, headers)).status).toBe(403);
    }
    expect((await submit('/operator/sign-out', { csrf: 'x' }, cookie)).status).toBe(403);
    expect((await page('/operator/', cookie)).status).toBe(200);
    expect((await send(csrf)).status).toBe(200);
    expect((await send(csrf, { 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  });

  it('are rejected if they are invalid', async () => {
    const { cookie, csrf } = await signedIn();
    const send = async (fields: Fields) =>
      (await submit('/operator/pages/dead-letters', { csrf, ...fields }, cookie)).status;
    const queue = 'delivery.on-receipt-recorded-or-deleted';
    expect(await send({ queue, action: 'replay' })).toBe(422);
    expect(await send({ queue, action: 'explode', ids: 'x' })).toBe(422);
    expect(await send({ queue: 'nowhere', action: 'replay-all', confirmed: 'yes' })).toBe(404);
    expect((await page('/operator/pages/dead-letters', cookie, { queue: '<b>' })).status).toBe(404);
    expect((await page('/operator/pages/dead-letters', cookie, { older: 'x' })).status).toBe(400);
    expect((await page('/operator/pages/dead-letters/x', cookie, { queue })).status).toBe(404);
    expect((await page('/operator/pages/audit', cookie, { older: 'x' })).status).toBe(400);
  });
});

it('shows a dead letter that is not JSON unchanged, and discards it', async () => {
  const { cookie, csrf } = await signedIn();
  const { id, queue } = await sendUnreadableMessage({ type: 'receipt.recorded', content: '{"cut short": <' });
  const whole = () => page(`/operator/pages/dead-letters/${id}`, cookie, { queue });
  await until('the message is dead-lettered', async () => (await whole()).status === 200);
  expect(textOf(await whole())).toContain('{&quot;cut short&quot;: &lt;');
  const fields = { csrf, queue, action: 'discard', ids: id, confirmed: 'yes' };
  expect((await submit('/operator/pages/dead-letters', fields, cookie)).status).toBe(303);
  expect((await whole()).status).toBe(404);
});

/** An operator's actions since signing in, newest first, without those of concurrent tests. */
async function actionsSince(name: string): Promise<Record<string, unknown>[]> {
  const own: Record<string, unknown>[] = [];
  let path = '/operator/audit' as string | undefined;
  while (path !== undefined && !own.some((each) => each['operation'] === 'sign-in')) {
    const { body } = await api.get(path);
    own.push(...body.actions.filter(({ operator: who }: { operator: string }) => who === name));
    path = body._links.next?.href;
  }
  return own;
}

it('finds, inspects, replays and discards a dead letter, and the audit log names the operator', async () => {
  const { cookie, csrf } = await signedIn(auditedOperator.token);
  const { id, queue } = await sendUnreadableMessage({ type: '<script>alert(1)</script>' });
  const shown = async () => textOf(await page('/operator/pages/dead-letters', cookie, { queue }));
  await until('the message is on the page', async () => (await shown()).includes(id));
  expect(await shown()).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(await shown()).not.toContain('<script');
  const whole = textOf(await page(`/operator/pages/dead-letters/${id}`, cookie, { queue }));
  expect(whole).toContain('&quot;cannot&quot;: &quot;be read &lt;b&gt;&quot;');

  const lastFailed = async () =>
    (await api.get(`/operator/messages/dead-letters/${id}`, { queue })).body.last_failed_timestamp as
      | string
      | undefined;
  const before = await lastFailed();
  expect(before).toBeDefined();
  const decide = (action: string, more: [string, string][] = []) =>
    submit(
      '/operator/pages/dead-letters',
      [['csrf', csrf], ['queue', queue], ['action', action], ['ids', id], ...more],
      cookie,
    );
  // The first request only asks for confirmation. It must not change anything.
  expect(textOf(await decide('replay'))).toContain('Replay 1 message?');
  expect(await lastFailed()).toBe(before);
  const path = '/operator/pages/dead-letters';
  expect(locationOf(await decide('replay', [['confirmed', 'yes']]))).toEqual([
    303,
    `${path}?done=replay&messages=1`,
  ]);
  // The message cannot be processed, so it is dead-lettered again.
  await until('the message was retried', async () => ((await lastFailed()) ?? before) !== before);
  expect(textOf(await decide('discard'))).toContain('Discard 1 message?');
  expect(locationOf(await decide('discard', [['confirmed', 'yes']]))).toEqual([
    303,
    `${path}?done=discard&messages=1`,
  ]);
  expect(await lastFailed()).toBeUndefined();
  expect(await shown()).not.toContain(id);

  const own = (await actionsSince(auditedOperator.name)).map((each) => [each['operation'], each['status']]);
  expect(own).toEqual([
    ['discard-dead-letters', 200],
    ['replay-dead-letters', 200],
    ['sign-in', 200],
  ]);
});
