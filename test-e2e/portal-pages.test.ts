import { until } from '@receipts/testing';
import type { Browser, Page } from 'puppeteer-core';
import { browserPath, openBrowser } from './harness/browser';
import type { TestRetailer } from './harness/client';
import { passwordLink } from './harness/mails';
import { portalPassword, PortalVisitor } from './harness/portal-visitor';
import { aReceipt, uniqueId } from './harness/receipts';
import { aRetailer, sharedPlatform } from './harness/shared-platform';
import { faultsOfPage, overflowsOfPage } from './harness/usable-pages';

const password = 'wholly unguessable words';

let retailer: TestRetailer;
let browser: Browser;
let close: () => Promise<void>;
let page: Page;

/** Without a browser, as in a minimal container, pages are tested by HTTP requests only. */
const withBrowser = browserPath() === undefined ? describe.skip : describe;

withBrowser('in a browser', () => {
  beforeAll(async () => {
    const settings = { portal_groups: ['managers'], portal_permissions: { managers: ['view.*'] } };
    retailer = await aRetailer(settings);
    ({ browser, close } = await openBrowser());
    page = await browser.newPage();
    // The accessibility checker is a script, which the pages' content security policy would block.
    await page.setBypassCSP(true);
  });
  afterAll(async () => close());

  const at = (path: string) => `${sharedPlatform().credentials.baseUrl}${path}`;

  const expectUsable = async () => expect(await faultsOfPage(page)).toEqual([]);

  /** The text of the part that follows the form. */
  const live = () => page.$eval('[data-live]', (part) => (part as any).textContent as string);

  /** Fills in a form with the keyboard only, and submits it with Enter. */
  async function submit(fields: Record<string, string>, form = 'main'): Promise<void> {
    for (const [name, text] of Object.entries(fields)) {
      await page.focus(`${form} input[name=${name}]`);
      await page.keyboard.type(text);
    }
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
  }

  it('a new user gets from the e-mail to a receipt using only the keyboard, on accessible pages', async () => {
    const email = `${uniqueId('browser').toLowerCase()}@demo.example`;
    await retailer.api.put(`/portal/user/${email}`, { group: 'managers', status: 'active' });
    const transaction_id = uniqueId('B');
    const posted = await retailer.api.post(
      '/receipts',
      aReceipt({
        transaction_id,
        identifier: undefined,
        items: [{ name: `${'Very long '.repeat(20)}name`, quantity: 1, total: 24 }],
      }),
    );
    await page.goto(at(await passwordLink(email)));
    await expectUsable();
    await submit({ password: 'Password1234', password_confirmation: 'Password1234' });
    await expectUsable();
    await submit({ password, password_confirmation: password });
    expect(page.url()).toBe(at('/portal/sign-in?done=password&next=%2Fportal%2Fstart'));
    await expectUsable();
    await submit({ email, password });
    expect(page.url()).toBe(at('/portal/start'));
    await expectUsable();
    await Promise.all([page.waitForNavigation(), page.click('header a[href$="/portal/"]')]);
    // The browser accepts the cookie even from a loopback address without HTTPS, and scripts cannot read it.
    expect(await page.evaluate(() => (globalThis as any).document.cookie)).toBe('');
    await expectUsable();
    await submit({ query: transaction_id });
    await expectUsable();
    await Promise.all([page.waitForNavigation(), page.click('table.dense a')]);
    expect(page.url()).toBe(at(`/portal/receipts/${posted.body.id}`));
    await expectUsable();
    await submit({ identifier: 'card-1' }, 'form[action$=assign]');
    await expectUsable();
    await page.focus('button[name=confirmed]');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    expect(page.url()).toContain('done=assigned');
    await expectUsable();
    await page.focus('form[action$=unassign] button');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    expect(page.url()).toContain('done=unassigned');
    await page.goto(at('/portal/?query=nonsense'));
    await expectUsable();
    await Promise.all([page.waitForNavigation(), page.click('header a[href$="/portal/totals"]')]);
    await expectUsable();
    await page.goto(at('/portal/totals?from=2026-03-14&to=2026-03-14&by=store'));
    await expectUsable();
    await page.setViewport({ width: 390, height: 900 });
    const bars = await page.$$eval('.bars div', (rows) =>
      rows.map((row: any) => ({
        bar: row.querySelector('rect').getBoundingClientRect().width as number,
        texts: [...row.querySelectorAll('span')].map((text: any) => text.getBoundingClientRect().height),
      })),
    );
    expect(bars).toEqual([{ bar: expect.any(Number), texts: [expect.any(Number), expect.any(Number)] }]);
    // Readable on a phone, where the bar has the whole width.
    expect(Math.min(...bars.flatMap(({ texts }) => texts))).toBeGreaterThan(14);
    expect(bars[0]?.bar).toBeGreaterThan(250);
    await page.setViewport({ width: 1280, height: 900 });
    await Promise.all([page.waitForNavigation(), page.click('header a[href$="/portal/tills"]')]);
    expect(await page.$$eval('section tbody tr', (rows) => rows.length)).toBeGreaterThan(0);
    await expectUsable();
    await Promise.all([page.waitForNavigation(), page.click('header a[href$="/portal/checks"]')]);
    expect(await page.$$eval('section tbody tr', (rows) => rows.length)).toBe(2);
    await expectUsable();
    await page.goto(at('/portal/packets'));
    await expectUsable();
    await Promise.all([page.waitForNavigation(), page.click('header a[href$="/portal/mappings"]')]);
    await expectUsable();
    await page.goto(at('/portal/mappings/workbench?template=json'));
    await expectUsable();
    await page.focus('#expression');
    await page.keyboard.type('$mony(1);');
    await until('the fault is shown while typing', async () => (await live()).includes('Expression, line 1'));
    expect(await page.$$eval('.editor .faulty', (lines) => lines.length)).toBe(1);
    await expectUsable();
    await page.$eval('#expression', (area) => ((area as any).value = '{ "total": 7 }'));
    await page.type('#expression', ' ');
    await until('the result is shown', async () => (await live()).includes('"total": 7'));
    await Promise.all([page.waitForNavigation(), page.click('header .session button')]);
    expect(page.url()).toBe(at('/portal/sign-in?done=out'));
    await page.goto(at('/portal/forgotten'));
    await expectUsable();
  });

  it('every page fits a phone in each language', async () => {
    const { api } = retailer;
    await api.post('/webhooks/endpoints', { url: 'http://127.0.0.1:9/unreachable' });
    const headers = { 'content-type': 'application/x-strange' };
    await api.call('/pos/receipts', { method: 'POST', body: uniqueId('strange'), headers });
    // With more receipts than one page shows.
    await Promise.all(Array.from({ length: 55 }, () => api.post('/receipts', aReceipt())));
    await until('an endpoint is failing', async () =>
      (await api.get('/webhooks/endpoints')).body.endpoints.some((one: any) => one.failing_since),
    );
    await until(
      'a packet has failed',
      async () => (await api.get('/pos/packets', { status: 'failed' })).body.packets[0],
    );
    const { email } = await new PortalVisitor().user(api, 'managers');
    await page.goto(at('/portal/sign-in'));
    await submit({ email, password: portalPassword });
    await page.goto(at('/portal/'));
    await expectUsable();
    const menu = await page.$$eval('.unfolded .menu a', (links) =>
      links.map((link) => (link as any).href as string),
    );
    const overflows: unknown[] = [];
    for (const language of ['en', 'fr', 'de', 'es', 'it']) {
      await page.setExtraHTTPHeaders({ 'accept-language': language });
      for (const url of menu) {
        await page.goto(url);
        overflows.push(...(await overflowsOfPage(page, [390])));
      }
    }
    expect(menu.length).toBeGreaterThan(10);
    expect(overflows).toEqual([]);
    await page.setExtraHTTPHeaders({ 'accept-language': 'en' });
    // On a phone, the button is in the folded menu.
    await page.setViewport({ width: 1280, height: 900 });
    await Promise.all([page.waitForNavigation(), page.click('header .session button')]);
  });

  it('a manager sets up webhooks, clients, groups and the brand on accessible pages', async () => {
    const { email } = await new PortalVisitor().user(retailer.api, 'managers');
    await page.goto(at('/portal/sign-in'));
    await submit({ email, password: portalPassword });
    await Promise.all([page.waitForNavigation(), page.click('header a[href$="/portal/webhooks"]')]);
    await expectUsable();
    await page.goto(at('/portal/webhooks/new'));
    await expectUsable();
    await page.type('#filter', 'nonsense');
    await until('the filter is checked while typing', async () => (await live()).includes('invalid query'));
    await page.click('input[value="store.created"]');
    await page.click('input[value="receipt.updated"]');
    await page.type('#url', 'http://127.0.0.1:9/hook');
    await page.$eval('#filter', (input) => ((input as any).value = ''));
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    expect(await page.$eval('pre', (part) => (part as any).textContent)).toContain('whsec_');
    expect(
      await page.$$eval('input[name=event_types]:checked', (boxes) => boxes.map((box: any) => box.value)),
    ).toEqual(['receipt.created', 'store.created']);
    await expectUsable();
    await Promise.all([page.waitForNavigation(), page.click('button[value=test]')]);
    const deliveries = () => page.$eval('[data-refreshed]', (part) => (part as any).textContent as string);
    await until('the result appears by itself', async () =>
      /webhook\.test[\s\S]*failed/.test(await deliveries()),
    );
    await Promise.all([page.waitForNavigation(), page.click('header a[href$="/portal/integration"]')]);
    await expectUsable();
    await page.click('main summary');
    await submit({ description: 'Till of store 1' });
    expect(await page.$eval('h1', (heading) => (heading as any).textContent)).toBe('Till of store 1');
    await expectUsable();
    for (const path of ['/portal/users', '/portal/groups?group=managers', '/portal/groups']) {
      await page.goto(at(path));
      await expectUsable();
    }
    await submit({ group: 'clerks' });
    expect(page.url()).toBe(at('/portal/users?done=group-saved'));
    await expectUsable();
    await page.goto(at('/portal/brand'));
    await expectUsable();
    await page.type('#name', 'Café Zoë');
    await until('the preview follows', async () =>
      (await page.$eval('[data-live] iframe', (frame) => (frame as any).srcdoc as string)).includes(
        'Café Zoë',
      ),
    );
    // The picker and the field follow each other.
    await page.$eval('input[type=color]', (picker: any) => {
      picker.value = '#aa2255';
      picker.dispatchEvent(new (globalThis as any).Event('input', { bubbles: true }));
    });
    await until('the preview has the colour', async () =>
      (await page.$eval('[data-live] iframe', (frame) => (frame as any).srcdoc as string)).includes(
        '#aa2255',
      ),
    );
    expect(await page.$eval('#colour', (input) => (input as any).value)).toBe('#aa2255');
    await page.$eval('#colour', (input) => ((input as any).value = ''));
    await page.type('#colour', 'red');
    await until('the fault is shown', async () => (await live()).includes('Colour: '));
  });
});
