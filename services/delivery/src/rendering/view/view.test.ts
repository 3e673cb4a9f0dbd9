import { defaultRetailerSettings } from '@receipts/contracts';
import { brandedSettings, fullReceipt } from '../../testing/rendered-samples';
import { viewOf } from './view';

const unsigned = {
  regime: 'de-tse' as const,
  device_id: null,
  number: null,
  counter: null,
  started: null,
  finished: null,
  signature: null,
  certificate: null,
  qr: null,
  texts: [],
};

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
    expect(space(view.items[1]?.amounts ?? '')).toBe('0,758 kg × 3,20 €');
    expect(view.labels.total).toBe('Total');
    expect(view.payments[1]).toMatchObject({ label: 'Espèces' });
  });

  it.each([
    ['?lang= takes precedence', { lang: 'de', acceptLanguage: 'fr' }, 'de'],
    ['a translation that the reader accepts', { acceptLanguage: 'es, fr-CA;q=0.8, en;q=0.5' }, 'fr'],
    [
      'the receipt, if it has no translation that the reader accepts',
      { acceptLanguage: 'ja, es;q=0.9' },
      'en-GB',
    ],
    ['the receipt, if the request is invalid', { lang: '!!', acceptLanguage: ';q=,,*;q=x' }, 'en-GB'],
  ])('chooses the locale: %s', (_name, reader, locale) => {
    expect(viewOf(fullReceipt(), defaultRetailerSettings, reader).locale).toBe(locale);
  });

  it('prefers the translation locale to the locale, and uses the retailer’s if both are invalid', () => {
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
      { label: 'Tax 20% · A · Net €96.96', amount: '€3.00' },
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

  it('keeps decimal places that the locale omits for a currency', () => {
    const l10n = { ...fullReceipt().l10n, locale: 'en_GB', currency: 'HUF' };
    expect(space(viewOf(fullReceipt({ l10n }), defaultRetailerSettings).total.amount)).toBe('HUF 71.96');
  });

  it('shows numbers with all the digits that were posted', () => {
    const [item] = fullReceipt().items;
    const tax = { name: 'sales_tax', code: null, properties: {} };
    const items = [
      {
        ...(item as NonNullable<typeof item>),
        quantity: 0.0004,
        unit: 'kg',
        unit_price: 1.559,
        total: 0.0006,
      },
    ];
    const taxes = [
      { ...tax, rate: 8.875, amount: 0.1 },
      { ...tax, rate: 8.875, amount: 0.2 },
      { ...tax, rate: 7.000001, amount: -0 },
    ];
    const payments = [{ method: 'cash', amount: -0, currency: 'CHF', tip: null, change: 1.005 }];
    const view = viewOf(fullReceipt({ items, taxes, payments, total: 1.005 }), defaultRetailerSettings);
    expect(view.items[0]).toMatchObject({ amounts: '0.0004\u00a0kg × €1.559', total: '€0.0006' });
    expect(view.taxes).toEqual([
      { label: 'sales tax 8.875%', amount: '€0.30' },
      { label: 'sales tax 7.000001%', amount: '€0.00' },
    ]);
    expect(view.total.amount).toBe('€1.005');
    expect(view.payments[0]?.amount.replace('\u00a0', ' ')).toBe('CHF 0.00');
    expect(view.payments[0]?.details[0]?.replace('\u00a0', ' ')).toBe('Change CHF 1.005');
  });

  it('adds up taxes without the errors of binary fractions', () => {
    const taxes = [0.1, 0.2, -0.3].map((amount) => ({
      name: 'vat',
      rate: 20,
      amount,
      code: null,
      properties: {},
    }));
    const { taxes: shown } = viewOf(fullReceipt({ taxes, items: [] }), defaultRetailerSettings);
    expect(shown).toEqual([{ label: 'Tax 20%', amount: '€0.00' }]);
  });

  it('is right-to-left in Arabic', () => {
    const view = viewOf(fullReceipt(), defaultRetailerSettings, { lang: 'ar-EG' });
    expect(view).toMatchObject({ direction: 'rtl', labelLanguage: 'ar' });
    expect(view.labels.total).toBe('الإجمالي');
  });

  it('marks items with the letters of their taxes, and shows the net amount of a rate if the items add up to its tax', () => {
    const [item] = fullReceipt().items;
    const taxed = (rate: number, amount: number, total: number) => ({
      ...(item as NonNullable<typeof item>),
      quantity: 1,
      total,
      unit_price: null,
      taxes: [{ name: 'vat', rate, amount, code: null, properties: {} }],
    });
    const items = [taxed(20, 2, 12), taxed(5.5, 0.55, 10.55), { ...taxed(20, 0, 5), taxes: [] }];
    const taxes = [
      { name: 'vat', rate: 20, amount: 1.5, code: null, properties: {} },
      { name: 'vat', rate: 5.5, amount: 0.55, code: null, properties: {} },
    ];
    const view = viewOf(fullReceipt({ items, taxes }), defaultRetailerSettings);
    expect(view.items.map(({ total }) => space(total))).toEqual(['€12.00 A', '€10.55 B', '€5.00']);
    expect(view.taxes.map(({ label }) => label)).toEqual(['Tax 20% · A', 'Tax 5.5% · B · Net €10.00']);
  });

  it('does not invent unit prices', () => {
    const [item] = fullReceipt().items;
    const one = { ...(item as NonNullable<typeof item>), quantity: 3, unit_price: null, total: 10 };
    const [shown] = viewOf(fullReceipt({ items: [one] }), defaultRetailerSettings).items;
    expect(space(shown?.amounts ?? '')).toBe('Quantity 3');
  });

  it('shows no quantity for a single piece, even in a locale with non-Latin digits', () => {
    const [item] = fullReceipt().items;
    const one = { ...(item as NonNullable<typeof item>), quantity: 1, unit_price: 5, total: 5 };
    const view = viewOf(fullReceipt({ items: [one] }), defaultRetailerSettings, { lang: 'ar-EG' });
    expect(view.items[0]).toMatchObject({ amounts: null, total: expect.stringContaining('٥') as string });
  });

  it.each([
    ['gift_card', 'Geschenkkarte'],
    ['Credit Card', 'Kreditkarte'],
    ['apple_pay', 'Apple Pay'],
    ['moon_stones', 'moon_stones'],
  ])('names the payment method %s', (method, label) => {
    const payments = [{ method, amount: 5, currency: null, tip: null, balance: 12.5 }];
    const view = viewOf(fullReceipt({ payments }), defaultRetailerSettings, { lang: 'de' });
    expect(view.payments[0]?.label).toBe(label);
    expect(view.payments[0]?.details.map(space)).toEqual(['Restguthaben 12,50 €']);
  });

  it.each([
    ['giftcard', '9876 5432-1012 ABCD', 'ABCD'],
    ['giftcard', '9876543210', '3210'],
    ['card', '1234', '1234'],
    ['card', '**** **** **** 1234', '1234'],
    ['voucher', '12', '12'],
  ])('shows at most the last four characters of the number of a %s', (method, number, shown) => {
    for (const payment of [{ number }, { details: { number } }]) {
      const payments = [{ method, amount: 5, currency: null, tip: null, ...payment }];
      const view = viewOf(fullReceipt({ payments }), defaultRetailerSettings);
      expect(view.payments[0]?.details).toEqual([`•••• ${shown}`]);
    }
  });

  it('shows charges, tips, card facts, lots, serial numbers and what the fiscal device signed', () => {
    const [item] = fullReceipt().items;
    const base = fullReceipt();
    const view = viewOf(
      fullReceipt({
        items: [{ ...(item as NonNullable<typeof item>), gtin: '4006381333931', lot: 'L1', serial: 'S1' }],
        charges: [{ name: 'Service', amount: 2.5, taxes: [] }],
        payments: [
          {
            method: 'card',
            amount: 10,
            currency: null,
            tip: 1,
            brand: 'Visa',
            number: '1234',
            entry_mode: 'contactless',
            cvm: 'device',
            aid: 'A0000000031010',
            details: {
              authorization_code: '0815',
              rrn: '42',
              terminal_id: 'T1',
              merchant_id: 'M1',
              arqc: 'AB',
            },
          },
        ],
        fiscal: { ...unsigned, qr: 'V0;a  b', texts: ['TSE 1'] },
        store: { ...base.store, vatno: 'FR1', company: 'Lumière SAS' },
      }),
      defaultRetailerSettings,
    );
    expect(view.items[0]?.details).toEqual(
      expect.arrayContaining(['GTIN 4006381333931', 'Lot L1', 'Serial number S1']),
    );
    expect(view.sums).toContainEqual({ label: 'Service', amount: '€2.50' });
    expect(view.payments[0]?.details).toEqual([
      'Visa',
      '•••• 1234',
      'Tip €1.00',
      'Contactless',
      'Verified on device',
      'Authorization 0815',
      'Terminal T1',
      'Merchant M1',
      'AID A0000000031010',
      'ARQC AB',
      'RRN 42',
    ]);
    expect(view.fiscal).toEqual({ texts: ['TSE 1'], code: 'V0;a  b' });
    expect(view.facts).toContainEqual({ label: 'VAT number', value: 'FR1' });
    expect(view.store.map(({ text }) => text)).toContain('Lumière SAS');
    expect(view.brand.name).toBe('Lumière SAS');
  });

  it('links the address of the store to a map, and its phone number to a call', () => {
    const { store } = viewOf(fullReceipt(), defaultRetailerSettings);
    const hrefs = store.map(({ href }) => href?.replace(/query=.*/, ''));
    const map = 'https://www.google.com/maps/search/?api=1&';
    expect(hrefs).toEqual([undefined, map, map, 'tel:+33123456789']);
  });

  it('shows the texts of the brand in the language of the reader', () => {
    const translations = {
      de: { header: 'Willkommen', footer: null, links: [{ name: 'Laden', href: 'https://shop.example/de' }] },
      'pt-BR': { header: 'Bem-vindo', footer: null, links: null },
      'zh-Hant': { header: '歡迎', footer: null, links: null },
    };
    const links = [{ name: 'Shop', href: 'https://shop.example' }];
    const brand = { ...brandedSettings.brand, header: 'Welcome', footer: 'Thank you', links, translations };
    const textsIn = (lang?: string) => {
      const {
        header,
        footer,
        links: shown,
      } = viewOf(fullReceipt(), { ...brandedSettings, brand }, { lang }).brand;
      return [header[0], footer[0], shown[0]?.name];
    };
    expect(textsIn()).toEqual(['Welcome', 'Thank you', 'Shop']);
    expect(textsIn('de-AT')).toEqual(['Willkommen', 'Thank you', 'Laden']);
    expect(textsIn('pt-BR')).toEqual(['Bem-vindo', 'Thank you', 'Shop']);
    expect(textsIn('DE')).toEqual(['Willkommen', 'Thank you', 'Laden']);
    expect(textsIn('PT_br')).toEqual(['Bem-vindo', 'Thank you', 'Shop']);
    expect(textsIn('zh-Hant-TW')).toEqual(['歡迎', 'Thank you', 'Shop']);
    expect(textsIn('zh')).toEqual(['Welcome', 'Thank you', 'Shop']);
    expect(textsIn('pt')).toEqual(['Welcome', 'Thank you', 'Shop']);
  });

  it.each([
    ['en', 'en_GB', '14 March 2026 at 12:30'],
    ['en', 'de_DE', 'March 14, 2026 at 12:30 PM'],
    ['en', 'en_US', 'March 14, 2026 at 12:30 PM'],
    ['en-US', 'en_GB', 'March 14, 2026 at 12:30 PM'],
    ['de', 'de_AT', '14. März 2026 um 12:30'],
  ])('formats the date in the language %s for a receipt in %s', (lang, locale, date) => {
    const { l10n } = fullReceipt();
    const view = viewOf(fullReceipt({ l10n: { ...l10n, locale } }), brandedSettings, { lang });
    expect(space(view.date)).toBe(date);
  });

  it('keeps the script of the language that the reader has chosen', () => {
    const { l10n } = fullReceipt();
    const inTaiwan = viewOf(fullReceipt({ l10n: { ...l10n, locale: 'zh_TW' } }), brandedSettings, {
      lang: 'zh',
    });
    expect(inTaiwan.labelLanguage).toBe('zh');
  });
});
