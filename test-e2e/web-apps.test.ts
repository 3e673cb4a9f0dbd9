import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'puppeteer-core';
import { until } from '@receipts/testing';
import { browserPath, openBrowser } from './harness/browser';
import type { TestRetailer } from './harness/client';
import { signedQuery } from './harness/credentials';
import { aReceipt } from './harness/receipts';
import { aRetailer, operator, sharedPlatform } from './harness/shared-platform';

/** The parts of a response that a page's script can see. */
interface Seen {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The response was blocked by the browser. */
  readonly blocked?: string;
}

/** A web server with an empty page, which is a separate origin. */
async function startOrigin(): Promise<{ server: Server; origin: string }> {
  const server = createServer((_req, res) => res.setHeader('content-type', 'text/html').end('<p>app</p>'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

let retailer: TestRetailer;
let app: { server: Server; origin: string };
let other: { server: Server; origin: string };
let browser: Browser;
let close: () => Promise<void>;
let page: Page;
let id: string;
const consumer = 'ann@example.com';

/** Without a browser, as in a minimal container, CORS is tested by HTTP requests only. */
const withBrowser = browserPath() === undefined ? describe.skip : describe;

withBrowser('an app in a browser', () => {
  beforeAll(async () => {
    [app, other] = await Promise.all([startOrigin(), startOrigin()]);
    retailer = await aRetailer({ cors: { origins: [app.origin] } });
    id = (await retailer.api.post('/receipts', aReceipt({ identifier: consumer }))).body.id;
    ({ browser, close } = await openBrowser());
    page = await browser.newPage();
  });
  beforeEach(async () => {
    await page.goto(app.origin);
  });
  afterAll(async () => {
    await close();
    for (const { server } of [app, other]) server.close();
  });

  const address = (path: string, query: Record<string, string> = {}) => {
    const args = new URLSearchParams({ ...signedQuery(retailer.hmac, { consumer }), ...query });
    return `${sharedPlatform().credentials.baseUrl}${path}?${args.toString()}`;
  };
  /** Calls from a script of the page. */
  const call = (url: string, init: object = {}): Promise<Seen> =>
    page.evaluate(
      async (target, options) => {
        try {
          const answer = await fetch(target, options);
          const headers = Object.fromEntries(answer.headers.entries());
          const text = await answer.text();
          return { status: answer.status, headers, body: text === '' ? undefined : JSON.parse(text) };
        } catch (error) {
          return { blocked: String(error) };
        }
      },
      url,
      init,
    );
  const json = { 'content-type': 'application/json' };

  it('reads with a signature', async () => {
    const seen = await call(address(`/receipts/${id}`));
    expect(seen).toMatchObject({ status: 200, body: { id } });
    expect(seen.headers).toHaveProperty('request-id');
    expect(seen.headers).not.toHaveProperty('x-content-type-options');
  });

  it('reads after a preflight, with a version and a request id', async () => {
    const headers = { 'service-api-version': '2', 'request-id': 'app-17' };
    const seen = await call(address('/receipts'), { headers });
    expect(seen).toMatchObject({ status: 200, body: { receipts: [{ id }] } });
    expect(seen.headers).toMatchObject({ 'request-id': 'app-17', 'service-api-version': '2' });
  });

  it('sends a receipt', async () => {
    const body = JSON.stringify({ id, channels: ['email'], resolve: true });
    const seen = await call(address('/receipts/_send'), { method: 'POST', headers: json, body });
    expect(seen).toMatchObject({ status: 200, body: { email_address: consumer } });
    expect(seen.headers).toHaveProperty('ratelimit');
  });

  it('reads the reason for a rejection', async () => {
    const unknown = await call(address(`/receipts/${id}`, { utm_source: 'mail' }));
    expect(unknown).toMatchObject({ status: 400, body: { code: 'invalid_parameter' } });
    const missing = await call(address('/receipts/0123456789abcdef01234567'));
    expect(missing).toMatchObject({ status: 404, body: { code: 'receipt_not_found' } });
  });

  it('cannot call other commands', async () => {
    const body = JSON.stringify([{ op: 'replace', path: '/identifier', value: 'joe' }]);
    const headers = { 'content-type': 'application/json-patch+json' };
    const patched = await call(address(`/receipts/${id}`), { method: 'PATCH', headers, body });
    expect(patched.blocked).toBeDefined();
    const posted = await call(address('/receipts'), { method: 'POST', headers: json, body: '{}' });
    expect(posted.blocked).toBeDefined();
  });

  it('cannot send cookies or tokens', async () => {
    const url = address(`/receipts/${id}`);
    expect((await call(url, { credentials: 'include' })).blocked).toBeDefined();
    expect((await call(url, { headers: { authorization: 'Bearer x' } })).blocked).toBeDefined();
  });

  it('reads nothing from another origin until the operator adds it', async () => {
    await page.goto(other.origin);
    expect((await call(address(`/receipts/${id}`))).blocked).toBeDefined();
    expect((await call(address('/receipts'), { headers: { 'request-id': 'x' } })).blocked).toBeDefined();
    const settings = { cors: { origins: [app.origin, other.origin] } };
    const patched = await (
      await operator()
    ).call(`/operator/retailers/${retailer.id}`, {
      method: 'PATCH',
      body: { settings },
    });
    expect(patched.status).toBe(200);
    const seen = await until('the setting is in force', async () => {
      const answer = await call(address(`/receipts/${id}`));
      return answer.blocked === undefined && answer;
    });
    expect(seen).toMatchObject({ status: 200, body: { id } });
  });
});
