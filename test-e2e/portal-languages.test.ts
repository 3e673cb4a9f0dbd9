import { until } from '@receipts/testing';
import type { TestRetailer } from './harness/client';
import { mailsTo } from './harness/mails';
import { PortalVisitor, locationOf, textOf, type PortalUser } from './harness/portal-visitor';
import { aReceipt } from './harness/receipts';
import { aRetailer } from './harness/shared-platform';

let portal: PortalVisitor;
let retailer: TestRetailer;
let user: PortalUser;

beforeAll(async () => {
  const settings = { portal_groups: ['managers'], portal_permissions: { managers: ['view.*'] } };
  retailer = await aRetailer({ ...settings, locale: 'it_IT' });
  portal = new PortalVisitor();
  user = await portal.user(retailer.api, 'managers');
});

const page = async (path: string, acceptLanguage: string, cookie = user.cookie) =>
  textOf(await portal.client.get(path, {}, { cookie, 'accept-language': acceptLanguage }));
const langOf = (html: string) => /<html lang="(\w+)"/.exec(html)?.[1];

it.each([
  ['fr-CA, en;q=0.5', 'fr', '>Rechercher</label>', '19,99'],
  ['de', 'de', '>Suche</label>', '19,99'],
  ['nl, es;q=0.5', 'es', '>Buscar</label>', '19,99'],
  ['en-US', 'en', '>Search</label>', '19.99'],
  ['nl', 'it', '>Cerca</label>', '19,99'],
])('shows every page for Accept-Language %s in %s', async (accepted, language, label, amount) => {
  const items = [{ name: 'Tea', quantity: 1, total: 19.99 }];
  const posted = await retailer.api.post('/receipts', aReceipt({ items, total: 19.99, payments: [] }));
  const home = await page('/portal/', accepted);
  expect(home).toContain(label);
  expect(home).toContain(amount);
  const menu = [...home.matchAll(/<a href="(\/portal\/\w*)" /g)].map(([, path]) => path ?? '');
  expect(menu.length).toBeGreaterThan(6);
  const others = ['/portal/mappings/workbench?template=text', '/portal/webhooks/new'];
  for (const path of [...menu, ...others, `/portal/receipts/${posted.body.id}`]) {
    const html = await page(path, accepted);
    expect([path, langOf(html), html.match(/>[^<]*\{\w+\}[^<]*</)]).toEqual([path, language, null]);
  }
  expect(langOf(await page('/portal/sign-in', accepted, ''))).toBe(language === 'it' ? 'en' : language);
});

it.each([
  ['fr', 'URL: doit être une adresse https', 'requête invalide : nonsense n’est pas un champ valide'],
  ['de', 'URL: muss eine https-Adresse sein', 'ungültige Abfrage: nonsense ist kein gültiges Feld'],
])('states in %s what the API rejects', async (accepted, urlFault, queryFault) => {
  const headers = { 'accept-language': accepted };
  const { csrf, cookie } = user;
  const fields = {
    csrf,
    action: 'save',
    url: 'nowhere',
    event_types: 'receipt.*',
    filter: '',
    payload: 'thin',
  };
  const settings = { ...fields, ordering: 'none', enabled: 'true' };
  const answer = await portal.submit('/portal/webhooks/new', settings, cookie, headers);
  expect([answer.status, textOf(answer).includes(urlFault)]).toEqual([422, true]);
  expect(await page('/portal/?query=nonsense:1', accepted)).toContain(queryFault);
  const workbench = await page('/portal/mappings/workbench?template=text', accepted);
  expect(workbench).not.toContain('is required');
});

it('sends password e-mails in the language of the page, and invitations in that of the retailer', async () => {
  const { email } = await portal.invited(retailer.api, 'managers');
  const invitation = await until('the invitation', () => mailsTo(email)[0]);
  expect(invitation).toContain('Scegliere una password');
  await portal.submit('/portal/forgotten', { email }, '', { 'accept-language': 'es' });
  await until('a link in Spanish', () =>
    mailsTo(email).some((mail) => mail.includes('Elegir una contrase=C3=B1a')),
  );
});

it('allows the user to choose a language, and returns to the page', async () => {
  const chosen = await portal.submit('/portal/language', { language: 'de', next: '/portal/totals?by=store' });
  expect(locationOf(chosen)).toEqual([303, '/portal/totals?by=store']);
  const cookie = chosen.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  expect(langOf(await page('/portal/sign-in', 'fr', cookie))).toBe('de');
  const both = `${user.cookie}; ${cookie}`;
  expect(langOf(await page('/portal/totals', 'fr', both))).toBe('de');
  const refused = textOf(await portal.get('/portal/', { cookie: both }, { least: 'zehn' }));
  expect(refused).toContain('Der Betrag muss eine Zahl sein, zum Beispiel 12,34.');
  for (const next of ['https://evil.example', '//evil.example', '/portal/../operator/', '/portal/\\evil'])
    expect(locationOf(await portal.submit('/portal/language', { language: 'de', next }))[1]).toBe('/portal/');
  expect((await portal.submit('/portal/language', { language: 'xx' })).status).toBe(422);
  const foreign = { origin: 'https://evil.example' };
  expect((await portal.submit('/portal/language', { language: 'de' }, '', foreign)).status).toBe(403);
});
