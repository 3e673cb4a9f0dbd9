import {
  defaultRetailerSettings,
  returnedReceiptExample,
  type Identifier,
  type Retailer,
  type ReturnedReceipt,
} from '@receipts/contracts';
import { newId, type Call, type CloudEvent } from '@receipts/kernel';
import type { Log } from '@receipts/storage';

type Item = ReturnedReceipt['items'][number];

export const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

const [, plainItem] = returnedReceiptExample.items;

export const itemOf = (change: object = {}) =>
  ({ ...plainItem, properties: {}, name: 'Coffee', quantity: 2, total: 7.4, ...change }) as Item;

export function receiptOf(change: Partial<ReturnedReceipt> = {}): ReturnedReceipt {
  return {
    ...returnedReceiptExample,
    id: newId(),
    identifier: null,
    items: [itemOf(), itemOf({ name: 'Cake', quantity: 1, total: 5 })],
    payments: [],
    l10n: { ...returnedReceiptExample.l10n, locale: 'en_GB' },
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
