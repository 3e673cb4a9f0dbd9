import type { Browser, Page } from 'puppeteer-core';
import { browserPath, openBrowser } from './harness/browser';
import type { Client, TestRetailer } from './harness/client';
import { bearerToken } from './harness/credentials';
import { anonymous, aRetailer, sharedPlatform } from './harness/shared-platform';

let nobody: Client;
beforeAll(async () => {
  nobody = await anonymous();
});

it('the root links to the reference, whose files are all served by the platform', async () => {
  const root = await nobody.get('/');
  expect([root.status, root.headers.location]).toEqual([302, '/docs']);
  const docs = await nobody.get('/docs');
  expect([docs.status, docs.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  const files = [...docs.bytes.toString().matchAll(/(?:src|href)="(\/docs\/assets\/[^"]+)"/g)];
  expect(files.length).toBeGreaterThanOrEqual(5);
  for (const [, address = ''] of files) {
    const { status, headers } = await nobody.call(address, { method: 'HEAD' });
    expect([address, status, headers['cache-control']]).toEqual([
      address,
      200,
      'public, max-age=31536000, immutable',
    ]);
  }
});

it.each(['/docs/errors', '/docs/errors/receipt_not_found', '/docs/signing', '/docs/search', '/docs/events'])(
  'serves %s without scripts',
  async (path) => {
    const { status, headers } = await nobody.get(path);
    expect([status, headers['content-security-policy']]).toEqual([
      200,
      expect.stringMatching(/^default-src 'none'; style-src 'self'; img-src data:;/),
    ]);
  },
);

/** Without a browser, as in a minimal container, only the files are tested. */
const withBrowser = browserPath() === undefined ? describe.skip : describe;
/** Rendering the documentation takes seconds, and much longer on a slow machine. */
const boundMs = 90_000;

withBrowser('in a browser', () => {
  let browser: Browser;
  let close: () => Promise<void>;
  let page: Page;
  let retailer: TestRetailer;
  const asked: string[] = [];
  const complaints: string[] = [];
  const openWith = async (token: string) => {
    await page.goto(`${sharedPlatform().credentials.baseUrl}/docs#token=${token}`, { timeout: boundMs });
    await page.waitForSelector('html[data-ready] .opblock', { timeout: boundMs });
  };
  const textOf = (selector: string) =>
    page.$$eval(selector, (found) => found.map(({ textContent }) => textContent ?? ''));

  beforeAll(async () => {
    retailer = await aRetailer();
    ({ browser, close } = await openBrowser());
    page = await browser.newPage();
    page.on('request', (request) => asked.push(request.url()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
  }, boundMs);
  afterAll(async () => close());

  it(
    'finds an operation, shows how to call it, sends it, and never contacts another origin',
    async () => {
      const token = bearerToken(retailer.bearer);
      await openWith(token);
      // The token must not remain in the URL, where it could be seen or copied.
      expect(page.url()).not.toContain(token);
      await page.type('.search', 'create identifier');
      const found = 'document.querySelectorAll(".opblock").length < 5';
      await page.waitForFunction(found, { timeout: boundMs });
      expect(await textOf('.opblock-summary-path')).toContain('/identifiers');
      await page.click('.opblock-post .opblock-summary-control');
      await page.waitForSelector('.samples pre', { timeout: boundMs });
      const samples = (await textOf('.samples')).join(' ');
      for (const language of ['curl', 'JavaScript', 'Python', 'Java']) {
        expect(samples).toContain(language);
      }
      expect((await textOf('.samples pre')).join('')).toMatch(/curl -X 'POST'[^]*\/identifiers'/);
      await page.click('.try-out__btn');
      await page.waitForSelector('.execute', { timeout: boundMs });
      await page.click('.execute');
      await page.waitForSelector('.live-responses-table', { timeout: boundMs });
      expect(await textOf('.live-responses-table .response-col_status')).toContain('201');
      const { origin } = new URL(sharedPlatform().credentials.baseUrl);
      const elsewhere = asked.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('data:'));
      expect([elsewhere, complaints]).toEqual([[], []]);
    },
    3 * boundMs,
  );
});
