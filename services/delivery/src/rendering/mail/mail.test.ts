import { defaultRetailerSettings, type ReturnedReceipt } from '@receipts/contracts';
import { brandedSettings, fullReceipt } from '../../testing/rendered-samples';
import { itemOf, receiptOf } from '../../testing/samples';
import { pngOf } from '../../testing/png';
import { logoOf } from '../images/logo';
import { mailOf } from './mail';
import { plainTextOf } from './plain-text';
import { viewOf } from '../view/view';

const page = 'https://receipts.example/r/token';
const mail = (receipt: ReturnedReceipt, settings = defaultRetailerSettings) =>
  mailOf(viewOf(receipt, settings), page);

it('shows items, total, payments, place and time, and links to the page', () => {
  const { subject, text, html } = mail(fullReceipt(), brandedSettings);
  expect(subject).toBe('Your receipt from Maison Lumière, 14 March, €71.96');
  expect(text).toBe(`${plainTextOf(viewOf(fullReceipt(), brandedSettings))}\nReceipt: ${page}\n`);
  for (const shown of [
    'Red cotton shirt',
    '2 × €24.99',
    '€71.96',
    'Visa',
    '12 rue de la Paix',
    '14 March 2026',
    'T-2026-000173',
    'Exchanges within 30 days',
    `<a href="${page}" style="`,
  ]) {
    expect(html).toContain(shown);
  }
});

it('contains the logo as an embedded image, and the PDF', () => {
  const [content, pdf] = [pngOf(400, 100), Buffer.from('%PDF')];
  const files = { logo: logoOf(content), pdf: { filename: 'T-1.pdf', content: pdf } };
  const { html, attachments } = mailOf(viewOf(fullReceipt(), brandedSettings), page, null, files);
  expect(html).toContain('<img src="cid:logo" alt="" width="160" height="40" ');
  expect(attachments).toEqual([
    { filename: 'T-1.pdf', contentType: 'application/pdf', content: pdf },
    { filename: 'logo.png', contentType: 'image/png', content, cid: 'logo' },
  ]);
  expect(mail(fullReceipt(), brandedSettings).html).not.toContain('<img');
});

it.each([
  ['en', 'right'],
  ['ar', 'left'],
])('aligns amounts in %s with attributes, which Outlook needs', (lang, side) => {
  const { html } = mailOf(viewOf(fullReceipt(), brandedSettings, { lang }), page);
  expect([...new Set(html.match(/ align="(left|right)"/g))]).toEqual([` align="${side}"`]);
});

it('contains no external resources and no scripts', () => {
  const brand = { ...brandedSettings.brand, logo: 'https://logo.example/l.png' };
  const { html } = mail(fullReceipt(), { ...brandedSettings, brand });
  expect(html).not.toMatch(/<(img|script|link|iframe|form)|url\(|src=|@import/i);
});

it('shows item names in the language of the receipt if they are translated', () => {
  const items = [itemOf({ 'name:fr': 'Café', 'name:de_AT': 'Melange' })];
  const of = (locale: string, translation_locale: string | null = null) =>
    mail(receiptOf({ items, l10n: { locale, translation_locale, timezone: 'UTC', currency: 'EUR' } })).text;
  expect(of('fr_FR')).toContain('Café');
  expect(of('fr-FR')).toContain('Café');
  expect(of('en_GB', 'de_AT')).toContain('Melange');
  expect(of('it_IT')).toContain('Coffee');
  expect(of('fr_FR')).toMatch(/7,40\s€/);
});

it.each(['abcd', 'xx_', 'i-klingon-x'])('ignores the locale %s, which has no number format', (locale) => {
  const l10n = { locale, translation_locale: null, timezone: 'UTC', currency: 'EUR' };
  expect(mail(receiptOf({ l10n })).subject).toMatch(/12[.,]40/);
});

it('escapes texts from the till, and shows each on a single line', () => {
  const name = '<img src=x onerror="alert(1)"> & \'co\'\r\nTotal €0.00\u202e\u0007';
  const { text, html } = mail(receiptOf({ items: [itemOf({ name })], transaction_id: '<b>x' }));
  expect(html).not.toContain('<img');
  expect(html).not.toContain('<b>x');
  expect(html).toContain('&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; &#39;co&#39; Total €0.00<');
  expect(text.split('\n').filter((line) => line.startsWith('Total'))).toHaveLength(1);
});

it("prevents the retailer's name from adding a header", () => {
  const { subject } = mail(receiptOf({ retailer: { name: 'Demo\r\nBcc: x@example.com', vatno: null } }));
  expect(subject).toMatch(/^Your receipt from Demo Bcc: x@example\.com, \d+ \w+, €12\.40$/);
});

it('limits the items in the text part to what mail programs accept', () => {
  const items = Array.from({ length: 5_000 }, () => itemOf({ name: '€<'.repeat(200) }));
  const { text } = mail(receiptOf({ items }));
  expect(Buffer.byteLength(text)).toBeLessThan(50_000);
  expect(text).toContain('\n…\n');
  expect(text).toContain('€12.40');
  expect(mail(receiptOf()).text).not.toContain('…');
});

it('is short enough for mail programs, no matter how many items there are', () => {
  const name = '€<'.repeat(200);
  const items = Array.from({ length: 5_000 }, () => itemOf({ name, properties: { details: [name, name] } }));
  const payments = Array.from({ length: 500 }, () => ({ method: name, amount: 1 }) as never);
  const { html } = mail(receiptOf({ items, payments, transaction_id: name }));
  expect(Buffer.byteLength(html)).toBeLessThan(100_000);
  expect(html).toContain('…');
  expect(html).toContain(page);
  expect(html).toContain('€12.40');
});
