import {
  defaultRetailerSettings,
  type Identifier,
  type Retailer,
  type ReturnedReceipt,
} from '@receipts/contracts';
import { newId, type Call, type CloudEvent } from '@receipts/kernel';
import type { Log } from '@receipts/storage';

export const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

const emptyItem = {
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

export const itemOf = (change: object = {}) =>
  ({ ...emptyItem, name: 'Coffee', quantity: 2, total: 7.4, ...change }) as ReturnedReceipt['items'][number];

export function receiptOf(change: Partial<ReturnedReceipt> = {}): ReturnedReceipt {
  return {
    id: newId(),
    transaction_id: '2024-05-17-0042',
    external_id: null,
    identifier: null,
    duplicate: false,
    incomplete: false,
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
      properties: {},
    },
    retailer: { name: 'Demo', vatno: null },
    till_uuid: null,
    total: 12.4,
    subtotal: null,
    net: null,
    gross: null,
    vat: [],
    taxes: [],
    discounts: [],
    items: [itemOf(), itemOf({ name: 'Cake', quantity: 1, total: 5 })],
    payments: [],
    l10n: { locale: 'en_GB', translation_locale: null, timezone: 'Europe/Paris', currency: 'EUR' },
    pos_data_ids: [],
    attachments: {},
    properties: {},
    dynamic: {},
    ...change,
  };
}

export function identifierOf(properties: Record<string, unknown>): Pick<Identifier, 'properties'> {
  return { properties };
}

export function retailerOf(id: string, settings: Partial<Retailer['settings']> = {}): Retailer {
  return { id, name: 'Demo', vatno: null, settings: { ...defaultRetailerSettings, ...settings }, version: 1 };
}

export function callOf(retailer: string, changes: Partial<Call> = {}): Call {
  const at = Date.now();
  const principal = { kind: 'client', id: 'bearer:1' } as const;
  return { id: newId(), requestId: newId(), retailer, principal, deadline: at + 10_000, at, ...changes };
}

export function createdEvent(retailer: string, receipt: ReturnedReceipt): CloudEvent {
  return {
    specversion: '1.0',
    id: newId(),
    source: `/retailers/${retailer}/receipts`,
    type: 'receipt.created',
    subject: receipt.id,
    time: new Date().toISOString(),
    datacontenttype: 'application/json',
    dataschema: '/schemas/receipt.created/1',
    retailer,
    sequence: 1,
    correlationid: newId(),
    data: { id: receipt.id, identifier: receipt.identifier, receipt },
  };
}
