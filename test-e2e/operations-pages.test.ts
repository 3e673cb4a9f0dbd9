import { until } from '@receipts/testing';
import type { Browser, Page } from 'puppeteer-core';
import { browserPath, openBrowser } from './harness/browser';
import { sendUnreadableMessage } from './harness/dead-letters';
import { uniqueId } from './harness/receipts';
import { aRetailer, operator, sharedPlatform } from './harness/shared-platform';
import { faultsOfPage } from './harness/usable-pages';

let browser: Browser;
let close: () => Promise<void>;
let page: Page;

/** Without a browser, as in a minimal container, pages are tested by HTTP requests only. */
const withBrowser = browserPath() === undefined ? describe.skip : describe;

withBrowser('in a browser', () => {
  beforeAll(async () => {
    ({ browser, close } = await openBrowser());
    page = await browser.newPage();
    // The accessibility checker is a script, which the pages' content security policy would block.
    await page.setBypassCSP(true);
  });
  afterAll(async () => close());

  const at = (path: string) => `${sharedPlatform().credentials.baseUrl}${path}`;
  const click = (selector: string) => Promise.all([page.waitForNavigation(), page.click(selector)]);
  const texts = (selector: string) =>
    page.$$eval(selector, (found) => found.map((each) => (each as any).textContent as string));

  const expectUsable = async () => expect(await faultsOfPage(page)).toEqual([]);

  /** A raw receipt that no mapping matches. */
  async function failedPacket(): Promise<{ retailer: string; packet: string }> {
    const { id: retailer, api } = await aRetailer();
    const headers = { 'content-type': 'application/x-strange' };
    await api.call('/pos/receipts', { method: 'POST', body: uniqueId('strange'), headers });
    const packet = await until(
      'the packet has failed',
      async () =>
        (await api.get('/pos/packets', { status: 'failed' })).body.packets[0]?.id as string | undefined,
      60_000,
    );
    return { retailer, packet };
  }

  it('an operator signs in, reads all pages and discards a dead letter, on accessible pages', async () => {
    const api = await operator();
    const [{ id, queue }, { retailer, packet }] = await Promise.all([
      sendUnreadableMessage({ type: `${'very.long.'.repeat(20)}type` }),
      failedPacket(),
    ]);
    const isDeadLetter = async () =>
      (await api.get(`/operator/messages/dead-letters/${id}`, { queue })).status === 200;
    await until('the message is dead-lettered', isDeadLetter);
    // The audit log also contains long values.
    await api.call(`/operator/retailers/${'a'.repeat(60)}/clients/bearer`, { method: 'POST', body: {} });

    await page.goto(at('/operator/pages/dead-letters'));
    expect(page.url()).toContain('/operator/sign-in?next=');
    await expectUsable();
    await page.type('#token', 'not the token of the operator');
    await click('main button');
    expect(await texts('[role=alert]')).toHaveLength(1);
    await expectUsable();
    await page.type('#token', sharedPlatform().credentials.operator.token);
    await click('main button');
    expect(page.url()).toBe(at('/operator/pages/dead-letters'));
    expect(await page.evaluate(() => (globalThis as any).document.cookie)).toBe('');
    await expectUsable();

    await page.goto(at(`/operator/pages/dead-letters?queue=${queue}`));
    await click(`a[href*="/dead-letters/${id}"]`);
    await expectUsable();
    await page.goBack();
    await page.click(`#m-${id}`);
    await click('button[value=discard]');
    expect(await texts('h1')).toEqual(['Discard 1 message?']);
    await expectUsable();
    await click('main button');
    expect(await texts('[role=status]')).toEqual(['1 message was discarded.']);
    await expectUsable();
    expect(await isDeadLetter()).toBe(false);

    for (const path of [
      '',
      'pages/queues',
      'pages/queues/ingest.commands',
      'pages/queues/admin.requests',
      'pages/packets',
      'pages/webhooks',
      'pages/deliveries',
      'pages/audit',
    ]) {
      await page.goto(at(`/operator/${path}`));
      expect((await texts('.unfolded [aria-current=page]')).length).toBe(1);
      await expectUsable();
    }
    // Ending all sessions takes two steps.
    expect(await page.$eval('button[name=everywhere]', (button) => (button as any).checkVisibility())).toBe(
      false,
    );
    await page.click('.session summary');
    expect(await page.$eval('button[name=everywhere]', (button) => (button as any).checkVisibility())).toBe(
      true,
    );
    expect(await texts('.unfolded .session details p')).toEqual([expect.stringContaining('all operators')]);
    await page.goto(at(`/operator/pages/packets?retailer=${retailer}`));
    await click(`a[href$="${packet}"]`);
    expect(await texts('h1')).toEqual([`Packet ${packet}`]);
    await expectUsable();
  });

  it('an operator goes from a queue to what went through it', async () => {
    const queues = await browser.newPage();
    await queues.goto(at('/operator/pages/queues'));
    // RabbitMQ collects statistics every few seconds.
    await until('the pages know the last hour', async () => {
      await queues.reload();
      return (await queues.$$('.spark')).length > 0;
    });
    await Promise.all([queues.waitForNavigation(), queues.click('a[href$="/queues/admin.requests"]')]);
    // Each page is a request to this service.
    const text = await until('the requests are counted', async () => {
      await queues.reload();
      const main = await queues.$eval('main', (part) => (part as any).innerText as string);
      return /now (?!0 )\S+ in and/.test(main) && main;
    });
    expect(text).toContain('admin.queries.standby');
    const unknown = await queues.goto(at('/operator/pages/queues/nobody'));
    expect(unknown?.status()).toBe(404);
    await queues.close();
  });

  it('the overview refreshes itself under its content security policy until it is paused', async () => {
    const live = await browser.newPage();
    await live.goto(at('/operator/'));
    const has = (name: string) =>
      live.$eval('[data-refreshed]', (part, given) => (part as any).hasAttribute(given) as boolean, name);
    await live.$eval('[data-refreshed]', (part) => (part as any).setAttribute('data-old', ''));
    await until('the page was refreshed', async () => !(await has('data-old')));
    const label = () => live.$eval('.pause', (button) => (button as any).textContent as string);
    expect(await label()).toBe('Pause updates');
    // The button covers no text, not even on a phone.
    for (const width of [390, 1280]) {
      await live.setViewport({ width, height: 900 });
      const covered = await live.evaluate(() => {
        const { document } = globalThis as any;
        const { left, right, top, bottom } = document.querySelector('.pause').getBoundingClientRect();
        const range = document.createRange();
        return [...document.querySelectorAll('main h1, main p, main h2, main li')].flatMap((element: any) => {
          range.selectNodeContents(element);
          const isCovered = [...range.getClientRects()].some(
            (box: any) => box.left < right && box.right > left && box.top < bottom && box.bottom > top,
          );
          return isCovered ? [element.textContent] : [];
        });
      });
      expect([width, covered]).toEqual([width, []]);
    }
    await live.click('.pause');
    expect(await label()).toBe('Resume updates');
    await live.close();
  });
});
