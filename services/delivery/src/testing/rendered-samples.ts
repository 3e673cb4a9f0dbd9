import { defaultRetailerSettings, type RetailerSettings, type ReturnedReceipt } from '@receipts/contracts';
import { receiptOf } from './samples';

/** A receipt that uses every feature of a rendering. */
export function fullReceipt(changes: Partial<ReturnedReceipt> = {}): ReturnedReceipt {
  const base = receiptOf();
  const [item] = base.items;
  if (!item) throw new Error('the sample has no item');
  const blank = { ...item, discounts: [], return: null, properties: {}, unit: null, taxes: [], vat: null };
  const prices = { unit_price: null, gross_unit_price: null, net_unit_price: null, net: null, gross: null };
  return {
    ...base,
    transaction_id: 'T-2026-000173',
    localtime: '2026-03-14T12:30:45+01:00',
    retailer: { name: 'Maison Lumière', vatno: 'FR40303265045' },
    store: {
      ...base.store,
      name: 'Maison Lumière Opéra',
      address: ['12 rue de la Paix'],
      city: 'Paris',
      postcode: '75002',
      country: 'FRA',
      phone: '+33 1 23 45 67 89',
    },
    total: 71.96,
    subtotal: 81.96,
    net: 59.97,
    l10n: { ...base.l10n, locale: 'en_GB', translation_locale: null, currency: 'EUR' },
    items: [
      {
        ...blank,
        ...prices,
        name: 'Red cotton shirt',
        'name:fr': 'Chemise rouge en coton',
        'name:ar': 'قميص أحمر (قطن)',
        quantity: 2,
        unit_price: 24.99,
        total: 49.98,
        properties: { details: ['Size 40', 'Pure cotton'] },
      },
      {
        ...blank,
        ...prices,
        name: 'Apples',
        'name:fr': 'Pommes',
        'name:ar': 'تفاح',
        quantity: 0.758,
        unit: 'kg',
        unit_price: 3.2,
        total: 2.43,
      },
      {
        ...blank,
        ...prices,
        name: 'Wool scarf',
        quantity: 1,
        total: 39.5,
        discounts: [{ name: 'Spring sale', quantity: null, amount: -5, percentage: null, properties: {} }],
      },
      {
        ...blank,
        ...prices,
        name: 'Blue socks',
        quantity: -1,
        total: -9.95,
        return: { localtime: '2026-03-14T12:29:00+01:00', reason: 'too small', properties: {} },
      },
    ],
    discounts: [{ name: 'Loyalty', quantity: null, amount: -10, percentage: null, properties: {} }],
    taxes: [
      { name: 'vat', rate: 20, amount: 9.1, code: null, properties: {} },
      { name: 'vat', rate: 5.5, amount: 0.13, code: null, properties: {} },
      { name: 'vat', rate: 20, amount: 2.76, code: null, properties: {} },
    ],
    vat: [],
    payments: [
      { method: 'card', amount: 51.96, currency: null, tip: null, type: 'Visa', number: '1234' },
      { method: 'cash', amount: 20, currency: null, tip: null, details: { change: 0.5 } },
    ],
    attachments: {
      warranty: {
        id: 'a',
        url: '/attachments/a',
        content_type: 'application/pdf',
        filename: 'warranty.pdf',
        size: 10,
      },
    },
    ...changes,
  };
}

export const brandedSettings: RetailerSettings = {
  ...defaultRetailerSettings,
  brand: {
    name: 'Maison Lumière',
    logo: null,
    colour: '#8a1538',
    header: null,
    footer: 'Exchanges within 30 days with this receipt.',
    links: [{ name: 'maison-lumiere.example', href: 'https://maison-lumiere.example/' }],
    translations: {
      de: { header: 'Willkommen', footer: 'Umtausch innerhalb von 30 Tagen.', links: null },
    },
  },
};

/** Names of articles in many scripts. */
export const namesByScript = {
  Arabic: 'قميص أحمر',
  Armenian: 'լավաշ',
  Bengali: 'বাংলা ভাষা',
  Cyrillic: 'Борщ Українська',
  Devanagari: 'हिन्दी में किताब ₹20',
  Ethiopic: 'አማርኛ',
  Georgian: 'ხაჭაპური',
  Greek: 'Ελληνικός καφές',
  Gujarati: 'ગુજરાતી',
  Gurmukhi: 'ਪੰਜਾਬੀ',
  Hangul: '김치찌개 ￦',
  Hebrew: 'חולצה אדומה',
  Japanese: '抹茶ラテ ￥500',
  Kannada: 'ಕನ್ನಡ',
  Khmer: 'ភាសាខ្មែរ ៛',
  Lao: 'ພາສາລາວ',
  Latin: 'Tiếng Việt Łódź',
  Malayalam: 'മലയാളം',
  Myanmar: 'မြန်မာဘာသာ',
  Oriya: 'ଓଡ଼ିଆ',
  Sinhala: 'සිංහල',
  'Simplified Chinese': '简体中文',
  Tamil: 'தமிழ் மொழி',
  Telugu: 'తెలుగు',
  Thaana: 'ދިވެހި',
  Thai: 'ผัดไทยกุ้งสด ฿',
  'Traditional Chinese': '繁體中文',
  Urdu: 'اُردو',
  Persian: 'گل‌گاوزبان',
  Emoji: '😀👩‍👩‍👧‍👦👍🏽🇩🇪❤️1️⃣',
  Symbols: '✓ ★ → ① Ⅷ ♥',
  Currencies: '₺ ₹ ₩ ₪ ₫ ₴ ₦ ₱ ₽ ₾ ₸ £ € ﷼',
};
