import { plainValues } from './plain-fields';
import type { PostedReceipt } from './posted-receipt';
import type { ReturnedReceipt } from './returned-receipt';

/** An example of a posted receipt for the API description. */
export const postedReceiptExample: PostedReceipt = {
  transaction_id: '2024-05-17-0042',
  localtime: '2024-05-17T14:03:22',
  store_reference: 1,
  identifier: 'jane@example.com',
  total: 12.4,
  items: [
    { name: 'Coffee', 'name:fr': 'Café', quantity: 2, total: 7.4, vat: { rate: 20, amount: 1.23 } },
    { name: 'Cake', quantity: 1, total: 5, properties: { category: 'bakery' } },
  ],
  payments: [{ method: 'card', amount: 12.4, details: { number: '1234', type: 'VISA' } }],
};

const emptyItem = {
  gtin: null,
  lot: null,
  serial: null,
  unit: null,
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
};

/** The same receipt as returned. */
export const returnedReceiptExample: ReturnedReceipt = {
  id: '6650f2c81b3c9a0012ab34cd',
  transaction_id: '2024-05-17-0042',
  external_id: null,
  identifier: 'jane@example.com',
  duplicate: false,
  incomplete: false,
  voided: null,
  localtime: '2024-05-17T14:03:22+02:00',
  timestamp: '2024-05-17T12:03:22+00:00',
  store_reference: '1',
  store: {
    name: 'Opéra',
    address: ['12 rue de la Paix'],
    city: 'Paris',
    postcode: '75002',
    country: 'FRA',
    phone: null,
    vatno: null,
    company: null,
    properties: {},
  },
  retailer: { name: 'Demo', vatno: null },
  total: 12.4,
  ...plainValues({}),
  vat: [],
  taxes: [],
  discounts: [],
  charges: [],
  items: [
    {
      ...emptyItem,
      name: 'Coffee',
      'name:fr': 'Café',
      quantity: 2,
      total: 7.4,
      vat: { rate: 20, amount: 1.23, code: null },
    },
    { ...emptyItem, name: 'Cake', quantity: 1, total: 5, properties: { category: 'bakery' } },
  ],
  payments: [
    { method: 'card', amount: 12.4, currency: null, tip: null, details: { number: '1234', type: 'VISA' } },
  ],
  l10n: { locale: 'fr_FR', translation_locale: null, timezone: 'Europe/Paris', currency: 'EUR' },
  fiscal: null,
  related: [],
  pos_data_ids: [],
  attachments: {},
  properties: {},
  dynamic: {},
};
