import { defaultRetailerSettings } from '@receipts/contracts';
import { brandedSettings, fullReceipt } from '../testing/rendered-samples';
import { viewOf } from './view';

const space = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ').replace(/[\u200e\u200f\u061c]/g, '');

describe('viewOf', () => {
  it('formats amounts, dates and names in the locale of the receipt', () => {
    const view = viewOf(
      fullReceipt({ l10n: { ...fullReceipt().l10n, locale: 'fr_FR' } }),
      defaultRetailerSettings,
    );
    expect(view.locale).toBe('fr-FR');
    expect(space(view.total.amount)).toBe('71,96 €');
    expect(space(view.date)).toBe('14 mars 2026 à 12:30');
    expect(view.items.map(({ name }) => name)).toEqual([
      'Chemise rouge en coton',
      'Pommes',
      'Wool scarf',
      'Blue socks',
    ]);
    expect(space(view.items[1]?.quantity ?? '')).toBe('0,758 kg');
    expect(view.labels.total).toBe('Total');
    expect(view.payments[1]).toMatchObject({ label: 'Espèces' });
  });

  it.each([
    ['?lang= before everything', { lang: 'de', acceptLanguage: 'fr' }, 'de'],
    ['a translation that the reader accepts', { acceptLanguage: 'es, fr-CA;q=0.8, en;q=0.5' }, 'fr'],
    [
      'the receipt, when nothing that the reader accepts is there',
      { acceptLanguage: 'ja, es;q=0.9' },
      'en-GB',
    ],
    ['the receipt, when the request makes no sense', { lang: '!!', acceptLanguage: ';q=,,*;q=x' }, 'en-GB'],
  ])('chooses the locale: %s', (_name, reader, locale) => {
    expect(viewOf(fullReceipt(), defaultRetailerSettings, reader).locale).toBe(locale);
  });

  it('prefers the translation locale to the locale, and uses the retailer’s when both are invalid', () => {
    const { l10n } = fullReceipt();
    const of = (changes: Partial<typeof l10n>) =>
      viewOf(fullReceipt({ l10n: { ...l10n, ...changes } }), { ...defaultRetailerSettings, locale: 'pl_PL' })
        .locale;
    expect(of({ translation_locale: 'de_AT' })).toBe('de-AT');
    expect(of({ locale: 'not a locale' })).toBe('pl-PL');
  });

  it('adds up taxes by name and rate', () => {
    const { taxes } = viewOf(fullReceipt(), defaultRetailerSettings);
    expect(taxes).toEqual([
      { label: 'Tax 20%', amount: '€11.86' },
      { label: 'Tax 5.5%', amount: '€0.13' },
    ]);
  });

  it('uses the taxes of the items if the receipt has none', () => {
    const [item] = fullReceipt().items;
    const vat = { rate: 20, amount: 1.5, code: null };
    const items = [item, item].map((one) => ({ ...(one as NonNullable<typeof one>), vat }));
    expect(viewOf(fullReceipt({ taxes: [], items }), defaultRetailerSettings).taxes).toEqual([
      { label: 'Tax 20%', amount: '€3.00' },
    ]);
  });

  it('marks returned items, copies and incomplete receipts', () => {
    const view = viewOf(fullReceipt({ duplicate: true, incomplete: true }), defaultRetailerSettings);
    expect(view.items[3]?.returned).toContain('Returned · 14 March 2026');
    expect(view.items[3]?.returned).toContain('too small');
    expect(view).toMatchObject({ isCopy: true, isIncomplete: true });
  });

  it('removes control characters, lone surrogates and bidirectional overrides, and truncates very long texts', () => {
    const name = `a\u202Eb\u0000c\ud800${'x'.repeat(5_000)}`;
    const [item] = fullReceipt().items;
    const view = viewOf(
      fullReceipt({ items: [{ ...(item as NonNullable<typeof item>), name }] }),
      brandedSettings,
    );
    expect(view.items[0]?.name.slice(0, 4)).toBe('abc\ufffd');
    expect(view.items[0]?.name.length).toBeLessThan(600);
  });

  it('accepts an unknown currency and an invalid time', () => {
    const l10n = { ...fullReceipt().l10n, currency: 'x' };
    const view = viewOf(fullReceipt({ l10n, localtime: 'noon' }), defaultRetailerSettings);
    expect(view.total.amount).toBe('71.96');
    expect(view.date).toBe('noon');
  });

  it('keeps decimal places that the locale of a currency omits', () => {
    const l10n = { ...fullReceipt().l10n, locale: 'en_GB', currency: 'HUF' };
    expect(space(viewOf(fullReceipt({ l10n }), defaultRetailerSettings).total.amount)).toBe('HUF 71.96');
  });

  it('is right-to-left in Arabic', () => {
    const view = viewOf(fullReceipt(), defaultRetailerSettings, { lang: 'ar-EG' });
    expect(view).toMatchObject({ direction: 'rtl', labelLanguage: 'ar' });
    expect(view.labels.total).toBe('الإجمالي');
  });
});
