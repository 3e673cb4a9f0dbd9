import {
  defaultRetailerSettings,
  type PostedReceipt,
  type Retailer,
  type StoreRecord,
} from '@receipts/contracts';
import { newId } from '@receipts/kernel';

export function postedReceipt(change: Partial<PostedReceipt> = {}): PostedReceipt {
  return {
    transaction_id: newId(),
    localtime: '2024-05-17T14:03:22',
    store_reference: 1,
    total: 10,
    items: [{ name: 'Coffee', quantity: 1, total: 10 }],
    ...change,
  };
}

export function retailerOf(id: string, settings: Partial<Retailer['settings']> = {}): Retailer {
  return {
    id,
    name: `The ${id}`,
    vatno: 'FR123',
    settings: { ...defaultRetailerSettings, timezone: 'Europe/Paris', ...settings },
    version: 1,
  };
}

export function storeOf(retailer: string, change: Partial<StoreRecord> = {}): StoreRecord {
  return {
    retailer,
    id: 7,
    reference: 1,
    external_reference: 'opera',
    name: 'Opéra',
    address: ['12 rue de la Paix'],
    city: 'Paris',
    postcode: '75002',
    country: 'FRA',
    phone: null,
    vatno: null,
    company: null,
    locale: 'fr_FR',
    timezone: 'Europe/Paris',
    currency: 'EUR',
    properties: { size: 'large' },
    settings: null,
    version: 1,
    updated_timestamp: '2024-01-01T00:00:00+00:00',
    ...change,
  };
}

export { callOf } from '@receipts/testing';
