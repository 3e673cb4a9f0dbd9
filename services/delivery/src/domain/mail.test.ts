import { itemOf, receiptOf } from '../testing/samples';
import { mailOf } from './mail';

it('shows what was bought, what it came to, where and when', () => {
  const { subject, text, html } = mailOf(
    receiptOf({ payments: [{ method: 'cash', amount: 12.4 } as never] }),
  );
  expect(subject).toBe('Demo: €12.40');
  expect(text.split('\n')).toEqual([
    'Opéra',
    '12 rue de la Paix',
    '2024-05-17 14:03',
    '',
    '2 x Coffee  €7.40',
    '1 x Cake  €5.00',
    '',
    'Total €12.40',
    'cash €12.40',
    '',
    '2024-05-17-0042',
  ]);
  expect(html).toContain('<td>Coffee</td>');
});

it('speaks the language of its reader where the receipt has it', () => {
  const items = [itemOf({ 'name:fr': 'Café', 'name:de_AT': 'Melange' })];
  const of = (locale: string, translation_locale: string | null = null) =>
    mailOf(receiptOf({ items, l10n: { locale, translation_locale, timezone: 'UTC', currency: 'EUR' } })).text;
  expect(of('fr_FR')).toContain('Café');
  expect(of('fr-FR')).toContain('Café');
  expect(of('en_GB', 'de_AT')).toContain('Melange');
  expect(of('en_GB', 'de_DE')).toContain('Coffee');
  expect(of('fr_FR')).toMatch(/7,40\s€/);
});

it.each(['abcd', 'xx_', 'i-klingon-x'])(
  'the locale %s, which numbers cannot be written in, does no harm',
  (locale) => {
    const l10n = { locale, translation_locale: null, timezone: 'UTC', currency: 'EUR' };
    expect(mailOf(receiptOf({ l10n })).subject).toContain('12.40');
  },
);

it('has texts of the till as text only, one line each', () => {
  const name = '<img src=x onerror="alert(1)"> & \'co\'\r\nTotal €0.00\u202e\u0007';
  const { text, html } = mailOf(receiptOf({ items: [itemOf({ name })], transaction_id: '<b>' }));
  expect(html).not.toContain('<img');
  expect(html).not.toContain('<b>x');
  expect(html).toContain('&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; &#39;co&#39; Total €0.00<');
  expect(text.split('\n').filter((line) => line.startsWith('Total'))).toEqual(['Total €12.40']);
});

it('a name of the retailer cannot add a header', () => {
  const { subject } = mailOf(receiptOf({ retailer: { name: 'Demo\r\nBcc: x@example.com', vatno: null } }));
  expect(subject).toBe('Demo Bcc: x@example.com: €12.40');
});
