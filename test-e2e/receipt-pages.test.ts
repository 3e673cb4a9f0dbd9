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

it('receipt.viewed distinguishes people from programs, and first views from repeated ones', async () => {
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
  const seen = (count: number) => until(`${count} views`, () => viewEvents(count), 60_000);
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

it('callbacks of providers without an account are 404', async () => {
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
    'the page in %s is accessible, on a phone and a desktop, in light and dark mode',
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
