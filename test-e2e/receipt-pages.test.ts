import { readFileSync } from 'node:fs';
import { until } from '@receipts/testing';
import type { Browser, Page } from 'puppeteer-core';
import { browserPath, openBrowser } from './harness/browser';
import type { Client, TestRetailer } from './harness/client';
import { aReceipt, uniqueId } from './harness/receipts';
import { anonymous, aRetailer } from './harness/shared-platform';

const person =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

let retailer: TestRetailer;
let anybody: Client;

beforeAll(async () => {
  const brand = { name: 'Maison Lumière', colour: '#8a1538', footer: 'Exchanges within 30 days.' };
  retailer = await aRetailer({ response_links: true, brand });
  anybody = await anonymous();
});

async function aPage(): Promise<{ id: string; href: string }> {
  const receipt = aReceipt({
    properties: { email: 'jane@example.com' },
    items: [
      { name: `${'Very long '.repeat(20)}name`, quantity: 2, total: 25.48, unit_price: 12.74 },
      {
        name: 'Socks',
        quantity: -1,
        total: -5,
        return: { localtime: '2026-03-14T12:29:00', reason: 'small' },
      },
    ],
    total: 20.48,
    payments: [{ method: 'card', amount: 20.48, type: 'Visa', number: '1234' }],
    identifier: `${uniqueId('viewer')}@example.com`,
  });
  const { body } = await retailer.api.post('/receipts', receipt);
  return { id: body.id, href: body._links.webview.href };
}

it('receipt.viewed distinguishes people from programs, and first views from repeated views', async () => {
  const { id, href } = await aPage();
  const { body: start } = await retailer.api.get('/events', { types: 'receipt.viewed' });
  const open = async (agent: string) => {
    const headers = { accept: 'text/html', 'user-agent': agent };
    expect((await anybody.get(new URL(href).pathname, undefined, headers)).status).toBe(200);
  };
  const viewEvents = async (count: number) => {
    const { body } = await retailer.api.get(start._links.next.href);
    return body.events.length === count && body.events;
  };
  const seen = (count: number) => until(`${count} views`, () => viewEvents(count));
  await open('WhatsApp/2.23.20.0');
  await seen(1);
  await open(person);
  await seen(2);
  await open(person);
  const events = await seen(3);
  expect(events.map(({ subject, data }: any) => [subject, data.viewer, data.views, data.repeated])).toEqual([
    [id, 'bot', 1, false],
    [id, 'person', 1, false],
    [id, 'person', 2, true],
  ]);
});

describe('errors are pages for browsers and JSON for programs', () => {
  const browserHeaders = {
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'accept-language': 'de-AT,de;q=0.9',
  };
  const open = (path: string) => anybody.get(path, undefined, browserHeaders);
  const expectPage = ({ status, headers, bytes }: Awaited<ReturnType<typeof open>>, expected: number) => {
    expect([status, headers['content-type'], headers['content-language']]).toEqual([
      expected,
      'text/html; charset=utf-8',
      expect.stringMatching(/^de/),
    ]);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    return bytes.toString();
  };
  const gone = 'Dieser Link führt zu keinem Bon oder wurde widerrufen.';

  it.each(['/r/unknown', '/r/unknown/pdf', '/u/unknown'])('%s: the page has no brand', async (path) => {
    const html = expectPage(await open(path), 404);
    expect(html).toContain(gone);
    expect(html).not.toContain('Maison');
    expect((await anybody.get(path)).body.code).toBe('link_not_found');
  });

  it("a revoked link and the link of a deleted receipt: the page has the retailer's brand", async () => {
    const { id, href } = await aPage();
    const { body } = await retailer.api.call(`/receipts/${id}/links/_revoke`, { method: 'POST' });
    const revoked = expectPage(await open(new URL(href).pathname), 404);
    for (const text of [gone, 'Maison Lumière', '#8a1538']) expect(revoked).toContain(text);
    await retailer.api.call(`/receipts/${id}`, { method: 'DELETE' });
    const path = new URL(body._links.webview.href).pathname;
    const deleted = expectPage(await open(path), 410);
    for (const text of ['Dieser Bon wurde gelöscht.', 'Maison Lumière']) expect(deleted).toContain(text);
    expect((await anybody.get(path)).body.code).toBe('receipt_deleted');
  });

  it('an unknown path has a page in the language of the reader', async () => {
    expect(expectPage(await open('/nothing/here'), 404)).toContain('<h1>Diese Seite gibt es nicht.</h1>');
    expect((await anybody.get('/nothing/here')).body.code).toBe('not_found');
  });
});

it('the longest receipt has a PDF, whose rendering does not delay others', async () => {
  const items = Array.from({ length: 5_000 }, (_, i) => ({
    name: `${'x'.repeat(300)}${i}`,
    quantity: 1,
    total: 1,
  }));
  const { body } = await retailer.api.post('/receipts', aReceipt({ items, total: 5_000 }));
  const other = await aRetailer({ response_links: true });
  const { body: short } = await other.api.post('/receipts', aReceipt());
  const pdf = (links: { pdf: { href: string } }, query = {}) =>
    anybody.get(new URL(links.pdf.href).pathname, query);
  let isFinished = false;
  const long = pdf(body._links).finally(() => (isFinished = true));
  expect((await pdf(short._links)).status).toBe(200);
  expect((await anybody.get(new URL(short._links.webview.href).pathname)).status).toBe(200);
  expect(isFinished).toBe(false);
  const { status, headers } = await long;
  expect([status, headers['content-type']]).toEqual([200, 'application/pdf']);
});

it('returns 404 for callbacks of providers without an account', async () => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = Buffer.from('MessageStatus=delivered');
  const answer = await anybody.call('/channels/nobody/callbacks', { method: 'POST', body, headers });
  expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
  expect((await anybody.get('/channels/nobody/callbacks')).status).toBe(404);
});

/** Without a browser, as in a minimal container, the page is tested by HTTP requests only. */
const withBrowser = browserPath() === undefined ? describe.skip : describe;

withBrowser('in a browser', () => {
  let browser: Browser;
  let close: () => Promise<void>;
  let page: Page;

  beforeAll(async () => {
    ({ browser, close } = await openBrowser());
    page = await browser.newPage();
    // The accessibility checker is a script, which the page's content security policy would block.
    await page.setBypassCSP(true);
  });
  afterAll(async () => close());

  it.each(['en', 'ar'])(
    'the page in %s is accessible on phone and desktop, in light and dark mode',
    async (lang) => {
      const { href } = await aPage();
      await page.goto(`${href}?lang=${lang}`);
      for (const width of [390, 1280]) {
        for (const value of ['light', 'dark']) {
          await page.setViewport({ width, height: 900 });
          await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
          await page.evaluate(axe);
          const found = await page.evaluate(async () => {
            const checker = (globalThis as unknown as { axe: { run(): Promise<any> } }).axe;
            const { violations } = await checker.run();
            const { documentElement: root } = (globalThis as any).document;
            const nodes = violations.map((each: any) => [each.id, each.nodes.map((node: any) => node.html)]);
            return { nodes, overflow: root.scrollWidth - root.clientWidth };
          });
          expect([width, value, found]).toEqual([width, value, { nodes: [], overflow: 0 }]);
        }
      }
    },
  );
});
