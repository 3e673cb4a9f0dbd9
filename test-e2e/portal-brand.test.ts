import type { TestRetailer } from './harness/client';
import { locationOf, PortalVisitor, textOf, type PortalUser } from './harness/portal-visitor';
import { aReceipt } from './harness/receipts';
import { aRetailer, operator } from './harness/shared-platform';

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

const send = (action: string, fields: object, who = user) =>
  portal.submit(path, { csrf: who.csrf, action, ...empty, ...fields }, who.cookie);
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

it('requires the permission', async () => {
  const clerk = await portal.user(retailer.api, 'clerks');
  expect((await portal.get(path, clerk)).status).toBe(403);
  expect((await send('save', { name: 'Mine' }, clerk)).status).toBe(403);
});
