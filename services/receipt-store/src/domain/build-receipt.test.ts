import { postedReceiptExample, returnedReceipt, type PostedReceipt } from '@receipts/contracts';
import { postedReceipt, retailerOf, storeOf } from '../testing/samples';
import { buildReceipt } from './build-receipt';

const context = {
  id: '6650f2c81b3c9a0012ab34cd',
  transactionId: 't-1',
  retailer: retailerOf('acme', { timezone: 'UTC', currency: 'USD', locale: 'en_US' }),
  store: undefined,
  posDataIds: [],
  attachments: {},
};

const build = (
  change: Partial<PostedReceipt> = {},
  surroundings: Partial<Parameters<typeof buildReceipt>[1]> = {},
) => buildReceipt(postedReceipt(change), { ...context, ...surroundings });

test('contains every documented key, with null, [] or {} for missing values', () => {
  const receipt = build();
  expect(returnedReceipt.strict().safeParse(receipt).success).toBe(true);
  expect(receipt).toMatchObject({
    id: context.id,
    transaction_id: 't-1',
    external_id: null,
    identifier: null,
    net: null,
    till_uuid: null,
    vat: [],
    taxes: [],
    discounts: [],
    payments: [],
    charges: [],
    fiscal: null,
    pos_data_ids: [],
    attachments: {},
    properties: {},
    dynamic: {},
    duplicate: false,
    incomplete: false,
    store_reference: '1',
    retailer: { name: 'The acme', vatno: 'FR123' },
    store: {
      name: null,
      address: [],
      city: null,
      postcode: null,
      country: null,
      phone: null,
      vatno: null,
      company: null,
      properties: {},
    },
  });
  expect(receipt.items[0]).toEqual({
    name: 'Coffee',
    quantity: 1,
    gtin: null,
    lot: null,
    serial: null,
    unit: null,
    total: 10,
    net: null,
    gross: null,
    unit_price: null,
    gross_unit_price: null,
    net_unit_price: null,
    vat: null,
    taxes: [],
    discounts: [],
    return: null,
    properties: {},
    dynamic: {},
  });
});

test('builds the example in the API description as described', () => {
  const receipt = buildReceipt(postedReceiptExample, { ...context, store: storeOf('acme') });
  expect(returnedReceipt.strict().safeParse(receipt).error).toBeUndefined();
  expect(receipt.items[0]).toMatchObject({ 'name:fr': 'Café', vat: { rate: 20, amount: 1.23, code: null } });
});

test('fills l10n from the store, then from the retailer', () => {
  const { l10n } = build({ l10n: { currency: 'CHF' } }, { store: storeOf('acme', { locale: null }) });
  expect(l10n).toEqual({
    locale: 'en_US',
    translation_locale: null,
    timezone: 'Europe/Paris',
    currency: 'CHF',
  });
  expect(build().l10n).toMatchObject({ timezone: 'UTC', currency: 'USD' });
});

test('prefers the time zone of l10n to that of the store, and the store’s to the retailer’s', () => {
  const localtime = '2024-07-01T12:00:00';
  const store = storeOf('acme', { timezone: 'Asia/Tokyo' });
  expect(build({ localtime, l10n: { timezone: 'America/New_York' } }, { store }).localtime).toBe(
    '2024-07-01T12:00:00-04:00',
  );
  expect(build({ localtime }, { store })).toMatchObject({
    localtime: '2024-07-01T12:00:00+09:00',
    timestamp: '2024-07-01T03:00:00+00:00',
  });
  expect(build({ localtime }).localtime).toBe('2024-07-01T12:00:00+00:00');
});

test('interprets the time of a return in the receipt’s time zone', () => {
  const returned = (localtime: string) =>
    build(
      { items: [{ name: 'x', quantity: 1, total: 1, return: { localtime } }] },
      { store: storeOf('acme') },
    ).items[0]?.return;
  expect(returned('2024-12-01T12:00:00')).toEqual({
    localtime: '2024-12-01T12:00:00+01:00',
    reason: null,
    properties: {},
  });
  expect(returned('2024-12-01T12:00:00Z')?.localtime).toBe('2024-12-01T13:00:00+01:00');
});

test('returns the details of a payment where they were posted', () => {
  const { payments } = build({
    payments: [
      { method: 'card', amount: 1, number: '1234' },
      { method: 'cash', amount: 2, currency: 'EUR', details: { change: 0.5 } },
    ],
  });
  expect(payments).toEqual([
    { method: 'card', amount: 1, currency: null, tip: null, number: '1234' },
    { method: 'cash', amount: 2, currency: 'EUR', tip: null, details: { change: 0.5 } },
  ]);
});

test('stores the external id in lower case, and free-form objects unchanged', () => {
  const properties = JSON.parse('{"__proto__":{"a":1},"$where":"x","a.b":[null]}') as Record<string, unknown>;
  const receipt = build({ external_id: 'F47AC10B-58CC-4372-A567-0E02B2C3D479', properties });
  expect(receipt.external_id).toBe('f47ac10b-58cc-4372-a567-0e02b2c3d479');
  expect(JSON.stringify(receipt.properties)).toBe('{"__proto__":{"a":1},"$where":"x","a.b":[null]}');
});
