import type { Client } from './harness/client';
import type { HttpResponse } from './harness/http';
import { aReceipt } from './harness/receipts';
import { anonymous, aRetailer } from './harness/shared-platform';

let browser: Client;
let page: string;

beforeAll(async () => {
  browser = await anonymous();
  const { api } = await aRetailer({ response_links: true });
  const { body } = await api.post('/receipts', aReceipt());
  page = new URL(body._links.webview.href as string).pathname;
});

const languageOf = ({ headers }: HttpResponse) => headers['content-language'];
const open = (query: Record<string, string>, headers: Record<string, string> = {}) =>
  browser.get(page, query, { accept: 'text/html', ...headers });

it('keeps the language that a reader has chosen, for all pages of receipts', async () => {
  const first = await open({ lang: 'fr' }, { 'accept-language': 'de' });
  expect(languageOf(first)).toBe('fr');
  const [cookie = ''] = first.headers['set-cookie'] ?? [];
  expect(cookie).toBe('receipt-language=fr; Max-Age=31536000; HttpOnly; SameSite=Lax');
  const kept = { cookie: `other=1; ${cookie.split(';')[0]}`, 'accept-language': 'de' };
  const next = await open({}, kept);
  expect([languageOf(next), next.headers['set-cookie']]).toEqual(['fr', undefined]);
  expect(next.bytes.toString()).toContain('/pdf?lang=fr');
  expect(languageOf(await open({ lang: 'ja' }, kept))).toBe('ja');
  expect(languageOf(await open({}))).toBe('en-GB');
});

it('does not put what is no language into the cookie', async () => {
  const answer = await open({ lang: 'x; Path=/' });
  expect([answer.status, answer.headers['set-cookie']]).toEqual([200, undefined]);
  expect(languageOf(await open({}, { cookie: 'receipt-language=%3Cb%3E' }))).toBe('en-GB');
});

it('offers the languages above the receipt, and explains a link that leads nowhere', async () => {
  const shown = (await open({})).bytes.toString();
  expect(shown.indexOf('<nav class="languages"')).toBeGreaterThan(0);
  expect(shown.indexOf('<nav class="languages"')).toBeLessThan(shown.indexOf('<article'));
  const unknown = await browser.get('/r/unknown', { lang: 'en' }, { accept: 'text/html' });
  expect(unknown.bytes.toString()).toContain('Check that the address is complete.');
  const verify = await browser.get('/verify', { lang: 'en' }, { accept: 'text/html' });
  expect(verify.bytes.toString()).toContain('The proof is attached to the PDF of a receipt');
});
