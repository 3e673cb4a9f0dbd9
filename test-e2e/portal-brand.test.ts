import { until } from '@receipts/testing';
import type { TestRetailer } from './harness/client';
import { mailsTo } from './harness/mails';
import { inBrowserOf } from './harness/portal-browser';
import { locationOf, portalAddress, PortalVisitor, textOf, type PortalUser } from './harness/portal-visitor';
import { aReceipt } from './harness/receipts';
import { aRetailer, operator, sharedPlatform } from './harness/shared-platform';
import { faultsOfPage } from './harness/usable-pages';

const path = '/portal/brand';
const empty = { name: '', logo: '', colour: '', header: '', footer: '', links: '' };

let portal: PortalVisitor;
let retailer: TestRetailer;
let user: PortalUser;

beforeAll(async () => {
  portal = new PortalVisitor();
  retailer = await aRetailer({
    portal_groups: ['managers', 'clerks'],
    portal_permissions: { managers: ['view.*'], clerks: ['view.get_receipt'] },
    brand: { translations: { fr: { header: 'Merci !' } } },
  });
  user = await portal.user(retailer.api, 'managers');
});

const send = (action: string, fields: object, who = user, file?: Buffer) =>
  portal.upload(path, { action, ...empty, ...fields }, who, file);
const brandOf = async () =>
  (await (await operator()).get(`/operator/retailers/${retailer.id}`)).body.settings.brand;

it('previews page, e-mail and PDF of a draft without saving it', async () => {
  const draft = { name: 'Café <b>Zoë</b>', colour: '#aa2255', header: 'Welcome back' };
  const answer = await send('run', draft);
  const page = textOf(answer);
  expect(answer.status).toBe(200);
  // The page, the heading of the e-mail and its texts are in documents in attributes, so they are escaped twice.
  expect(page.match(/&amp;lt;b&amp;gt;Zoë/g)?.length).toBeGreaterThanOrEqual(2);
  expect(page).toContain('E-mail: Your receipt from Café &lt;b&gt;Zoë&lt;/b&gt;');
  expect(page.match(/#aa2255/g)?.length).toBeGreaterThanOrEqual(2);
  expect(page).not.toContain('<b>Zoë');
  const pdf = /data="data:application\/pdf;base64,([^"#]+)#/.exec(page)?.[1] ?? '';
  expect(Buffer.from(pdf, 'base64').toString('latin1').slice(0, 5)).toBe('%PDF-');
  expect((await brandOf()).name).toBeNull();
});

it('saves the brand, shows it on receipts, and keeps texts in other languages', async () => {
  const links = 'Terms of sale https://shop.example/terms\nhttps://shop.example';
  const saved = await send('save', { name: 'Zoë', colour: '#aa2255', footer: 'Come again', links });
  expect(locationOf(saved)).toEqual([303, `${path}?done=saved`]);
  expect(await brandOf()).toMatchObject({
    name: 'Zoë',
    colour: '#aa2255',
    header: null,
    footer: 'Come again',
    links: [
      { name: 'Terms of sale', href: 'https://shop.example/terms' },
      { name: 'https://shop.example', href: 'https://shop.example' },
    ],
    translations: { fr: { header: 'Merci !' } },
  });
  const { body: receipt } = await retailer.api.post('/receipts', aReceipt());
  const shown = textOf(await portal.get(`/portal/receipts/${receipt.id}`, user));
  for (const text of ['Zoë', 'Come again', 'Terms of sale']) expect(shown).toContain(text);
  const form = textOf(await portal.get(`${path}?done=saved`, user));
  expect(form).toContain('The brand was saved.');
  expect(form).toContain('Terms of sale https://shop.example/terms');
  expect(locationOf(await send('save', {}))[0]).toBe(303);
  expect(await brandOf()).toMatchObject({ name: null, colour: null, links: [] });
});

it('edits the texts of other languages', async () => {
  const form = textOf(await portal.get(path, user));
  expect(form).toContain('<summary>French</summary>');
  expect(form).toContain('Merci !');
  const german = { language: 'de', translated_header: 'Danke!', translated_footer: '', translated_links: '' };
  expect(locationOf(await send('save', german))[0]).toBe(303);
  expect((await brandOf()).translations).toEqual({ de: { header: 'Danke!', footer: null, links: null } });
  expect(locationOf(await send('save', { ...german, translated_header: '' }))[0]).toBe(303);
  expect((await brandOf()).translations).toEqual({});
});

it.each([
  [{ colour: 'red' }, 'Colour: '],
  [{ logo: 'ftp://shop.example/logo.png' }, 'URL of the logo: must be an http or https address'],
  [{ language: 'no tag', translated_header: 'Hi' }, 'In other languages: '],
  [{ links: 'Terms' }, 'Links at the end 1: must be an http or https address'],
])('says what is wrong with %j', async (fields, text) => {
  for (const action of ['run', 'save']) {
    const answer = await send(action, fields);
    expect([answer.status, textOf(answer)]).toEqual([422, expect.stringContaining(text)]);
  }
});

/** The addresses of a new receipt. */
async function receiptLinks() {
  const { body: receipt } = await retailer.api.post('/receipts', aReceipt());
  const { webview, pdf } = (await retailer.api.get(`/receipts/${receipt.id}/links`)).body._links;
  return { page: webview.href as string, pdf: pdf.href as string };
}

/** The e-mail of a new receipt, as it was sent. */
async function mailOfReceipt(): Promise<string> {
  const email = portalAddress();
  const { body: receipt } = await retailer.api.post('/receipts', aReceipt());
  const sent = { id: receipt.id as string, channels: ['email'], email_address: email };
  expect((await retailer.api.post('/receipts/_send', sent)).status).toBe(202);
  return until('the e-mail', () => mailsTo(email)[0]);
}

/** A PNG of one pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const changed = (change: (file: Buffer) => unknown) => {
  const file = Buffer.from(png);
  change(file);
  return file;
};

it('keeps an uploaded logo, and shows it on pages, in PDFs and in e-mails until it is removed', async () => {
  const { baseUrl } = sharedPlatform().credentials;
  expect(locationOf(await send('save', { name: 'Zoë' }, user, png))).toEqual([303, `${path}?done=saved`]);
  const { logo, name } = await brandOf();
  expect([name, logo]).toEqual(['Zoë', expect.stringMatching(/\/logos\/[\w-]{43}$/)]);
  expect(logo.startsWith(`${baseUrl}/logos/`)).toBe(true);
  const shown = await portal.client.get(logo.slice(baseUrl.length));
  expect([shown.status, shown.bytes.equals(png)]).toEqual([200, true]);
  expect(shown.headers).toMatchObject({
    'content-type': 'image/png',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
  });
  const links = await receiptLinks();
  const at = (href: string) => portal.client.get(href.slice(baseUrl.length));
  expect(textOf(await at(links.page))).toContain(`<img src="${logo}"`);
  expect((await at(links.pdf)).bytes.toString('latin1')).toContain('/Subtype /Image');
  expect(textOf(await portal.get(path, user))).toContain(`<img class="logo" src="${logo}" alt="The logo"`);
  const mail = await mailOfReceipt();
  expect(mail).toContain('<img src="cid:logo" alt=""');
  const [, type, content = ''] =
    /Content-Type: (\S+); name=logo\.png\s[^]*?Content-Id: <logo>[^]*?\r\n\r\n([\w+/\s]+)/i.exec(mail) ?? [];
  expect([type, Buffer.from(content, 'base64').equals(png)]).toEqual(['image/png', true]);
  expect(locationOf(await send('save', { logo }))[0]).toBe(303);
  expect((await brandOf()).logo).toBe(logo);
  expect(locationOf(await send('remove_logo', { name: 'Zoë', logo }))[0]).toBe(303);
  expect(await brandOf()).toMatchObject({ name: 'Zoë', logo: null });
  expect((await at(logo)).status).toBe(200);
});

it('gives the same image another address at another retailer, and unknown addresses a 404', async () => {
  const other = await aRetailer({
    portal_groups: ['managers'],
    portal_permissions: { managers: ['view.*'] },
  });
  const manager = await portal.user(other.api, 'managers');
  const addressOf = async (who: PortalUser) =>
    /id="logo"[^>]*value="([^"]+)"/.exec(textOf(await send('run', {}, who, png)))?.[1];
  const [own, theirs] = [await addressOf(user), await addressOf(manager)];
  expect([own, theirs]).toEqual([expect.stringContaining('/logos/'), expect.stringContaining('/logos/')]);
  expect(theirs).not.toBe(own);
  const unknown = await portal.client.get('/logos/unknown');
  expect([unknown.status, unknown.body.code]).toEqual([404, 'logo_not_found']);
});

it.each([
  ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'The logo must be a PNG, JPEG or WebP.'],
  ['a large file', Buffer.concat([png, Buffer.alloc(256 * 1024)]), 'The logo may have at most 256 KiB.'],
  [
    'many pixels',
    changed((file) => file.writeUInt32BE(300_001, 16)),
    'A PNG may have at most 300,000 pixels',
  ],
  ['a damaged image', png.subarray(0, 50), 'The logo is damaged or interlaced.'],
])('says what is wrong with an upload: %s', async (_what, file, text) => {
  const before = await brandOf();
  for (const action of ['run', 'save']) {
    const answer = await send(action, { name: 'Not this' }, user, file);
    expect([answer.status, textOf(answer)]).toEqual([422, expect.stringContaining(text)]);
  }
  expect(await brandOf()).toEqual(before);
});

it('rejects a file that is larger than any body', async () => {
  expect((await send('save', {}, user, Buffer.alloc(8 * 1024 * 1024))).status).toBe(413);
});

it('rejects what is not a form', async () => {
  for (const body of ['', 'no boundary', '--b\r\n\r\n--b--\r\n']) {
    const headers = { 'content-type': 'multipart/form-data; boundary=b', cookie: user.cookie };
    const { status } = await portal.client.call(path, { method: 'POST', body, headers });
    expect([400, 422]).toContain(status);
  }
});

it('is uploaded in a browser, which previews it before it is saved and shows it on a receipt', async () => {
  const links = await receiptLinks();
  await inBrowserOf(user, async (page, at) => {
    await page.goto(at(path));
    await page.$eval(
      '#file',
      (input: any, base64: string) => {
        const { DataTransfer, File, Event, atob } = globalThis as any;
        const bytes = Uint8Array.from(atob(base64) as string, (letter) => letter.charCodeAt(0));
        const chosen = new DataTransfer();
        chosen.items.add(new File([bytes], 'logo.png', { type: 'image/png' }));
        input.files = chosen.files;
        input.dispatchEvent(new Event('input', { bubbles: true }));
      },
      png.toString('base64'),
    );
    await until('the preview has the logo', async () =>
      (await page.$eval('[data-live] iframe', (frame) => (frame as any).srcdoc as string)).includes(
        '/logos/',
      ),
    );
    expect((await brandOf()).logo).toBeNull();
    await Promise.all([page.waitForNavigation(), page.click('button[value=save]')]);
    const widthOf = (selector: string) =>
      page.$eval(selector, (image: any) => image.complete && (image.naturalWidth as number));
    await until('the page shows the logo', async () => (await widthOf('img.logo')) === 1);
    expect(await faultsOfPage(page)).toEqual([]);
    await page.goto(links.page);
    await until('the receipt shows the logo', async () => (await widthOf('img')) === 1);
  });
});

it('requires the permission', async () => {
  const clerk = await portal.user(retailer.api, 'clerks');
  expect((await portal.get(path, clerk)).status).toBe(403);
  expect((await send('save', { name: 'Mine' }, clerk, png)).status).toBe(403);
  expect((await send('save', { name: 'Mine' }, { ...user, csrf: 'another' })).status).toBe(403);
});
