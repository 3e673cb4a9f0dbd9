import type { Browser, Page } from 'puppeteer-core';
import { browserPath, openBrowser } from './harness/browser';
import type { Client, TestRetailer } from './harness/client';
import { bearerToken } from './harness/credentials';
import { anonymous, aRetailer, sharedPlatform } from './harness/shared-platform';
import { faultsOfPage } from './harness/usable-pages';

let nobody: Client;
beforeAll(async () => {
  nobody = await anonymous();
});

it('the root links to the documentation, whose files are all served by the platform', async () => {
  const root = await nobody.get('/');
  expect([root.status, root.headers.location]).toEqual([302, '/docs']);
  const docs = await nobody.get('/docs');
  expect([docs.status, docs.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  const reference = await nobody.get('/docs/api');
  const html = docs.bytes.toString() + reference.bytes.toString();
  const files = [...html.matchAll(/(?:src|href)="(\/docs\/assets\/[^"]+)"/g)];
  expect(files).toHaveLength(2 + 3);
  for (const [, address = ''] of files) {
    const { status, headers } = await nobody.call(address, { method: 'HEAD' });
    expect([address, status, headers['cache-control']]).toEqual([
      address,
      200,
      'public, max-age=31536000, immutable',
    ]);
  }
});

const textPaths = [
  '/docs',
  '/docs/errors',
  '/docs/errors/receipt_not_found',
  '/docs/failed-packets',
  '/docs/signing',
  '/docs/search',
  '/docs/events',
  '/docs/guides/send-and-render',
];

const reference = '/docs/api#tag/receipts/createReceipt';

it.each(textPaths)('serves %s with scripts and styles of the same origin only', async (path) => {
  const { status, headers } = await nobody.get(path);
  expect([status, headers['content-security-policy']]).toEqual([
    200,
    expect.stringMatching(/^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;/),
  ]);
});

it('serves the reference with scripts of the same origin only', async () => {
  const { status, headers } = await nobody.get('/docs/api');
  expect([status, headers['content-security-policy']]).toEqual([
    200,
    expect.stringMatching(
      /^default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self';/,
    ),
  ]);
});

it('an error carries the address of the page that explains it', async () => {
  const refused = await nobody.get('/receipts');
  expect([refused.status, refused.body.doc_url]).toEqual([401, '/docs/errors/unauthorized']);
  expect((await nobody.get(refused.body.doc_url as string)).status).toBe(200);
});

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
  const open = async (path: string, tab = page) => {
    await tab.goto(`${sharedPlatform().credentials.baseUrl}${path}`, { timeout: boundMs });
    await tab.waitForSelector('html[data-ready]', { timeout: boundMs });
  };

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
    'finds an operation, shows how to call it here, sends it anew each time, and contacts no other origin',
    async () => {
      const token = bearerToken(retailer.bearer);
      await open(`/docs#token=${token}`);
      // The token must not remain in the URL, where it could be seen or copied.
      expect(page.url()).not.toContain(token);
      await page.keyboard.press('/');
      await page.keyboard.type('create identifier');
      await page.waitForSelector('html[data-searched="create identifier"] #found li', { timeout: boundMs });
      await page.keyboard.press('ArrowDown');
      await Promise.all([page.waitForNavigation({ timeout: boundMs }), page.keyboard.press('Enter')]);
      expect(page.url()).toMatch(/\/docs\/api#tag\/identifiers\/createIdentifier$/);
      const { origin } = new URL(sharedPlatform().credentials.baseUrl);
      const operation = '[id$="tag/identifiers/createIdentifier"]';
      const sample = `document.querySelector('${operation} pre')?.textContent`;
      await page.waitForFunction(`${sample}?.includes('${origin}/identifiers')`, { timeout: boundMs });
      expect(await page.evaluate(sample)).not.toContain('Idempotency-Key');
      await page.click(`${operation} .show-api-client-button`);
      const send = `[...document.querySelectorAll('[role="dialog"] button')].find((one) => one.offsetHeight > 0 && one.textContent.includes('Send post request'))`;
      const results: string[] = [];
      for (const expected of ['201', '409']) {
        await page.waitForFunction(send, { timeout: boundMs });
        await page.evaluate(`${send}.click()`);
        const found = `document.querySelector('[role="dialog"]')?.textContent.includes('${expected} ')`;
        await page.waitForFunction(found, { timeout: boundMs });
        results.push(await page.$eval('[role="dialog"]', ({ textContent }) => textContent ?? ''));
      }
      // The second attempt is another request, not a repetition of the first one.
      expect(results[1]).toContain('identifier_exists');
      expect(results[1]).not.toContain('idempotent-replayed');
      const elsewhere = asked.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('data:'));
      // Browsers report the 409 that this test provokes.
      expect([elsewhere, complaints.filter((text) => !text.includes('409'))]).toEqual([[], []]);
    },
    3 * boundMs,
  );

  it(
    'searches again after the list of entries could not be loaded',
    async () => {
      const tab = await browser.newPage();
      await tab.setRequestInterception(true);
      let loads = 0;
      tab.on('request', (request) => {
        const fails = request.url().endsWith('/docs/search.json') && ++loads === 1;
        void (fails ? request.respond({ status: 503, body: '{}' }) : request.continue());
      });
      await open('/docs', tab);
      const failed = tab.waitForResponse((answer) => answer.status() === 503, { timeout: boundMs });
      await tab.keyboard.press('/');
      await failed;
      await tab.keyboard.type('create identifier');
      await tab.waitForSelector('html[data-searched="create identifier"] #found li', { timeout: boundMs });
      await tab.close();
    },
    3 * boundMs,
  );

  it(
    'knows synonyms, and says when nothing was found',
    async () => {
      await open('/docs');
      const find = async (words: string) => {
        await page.$eval('#search', (field) => ((field as unknown as { value: string }).value = ''));
        await page.type('#search', words);
        await page.waitForSelector(`html[data-searched="${words}"] #found li`, { timeout: boundMs });
        return page.$$eval('#found li', (all) => all.map(({ textContent }) => textContent ?? ''));
      };
      expect(await find('cancel')).toContainEqual(expect.stringMatching(/^OperationVoid a receipt/));
      expect(await find('shops')).toContainEqual(expect.stringMatching(/^Operation.*store/i));
      expect(await find('zebra')).toEqual(['No results for “zebra”']);
    },
    3 * boundMs,
  );

  it.each([...textPaths, reference])(
    '%s is accessible and fits on a phone, in light and dark mode',
    async (path) => {
      await open(path);
      expect(await faultsOfPage(page)).toEqual([]);
    },
    3 * boundMs,
  );
});
