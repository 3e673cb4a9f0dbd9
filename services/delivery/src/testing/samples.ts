import {
  defaultRetailerSettings,
  receiptStoreFacts,
  returnedReceiptExample,
  type Identifier,
  type Retailer,
  type ReturnedReceipt,
} from '@receipts/contracts';
import { eventOf, newId, type Call, type EventRecord } from '@receipts/kernel';
import type { Log } from '@receipts/storage';
import { readEvent } from '@receipts/testing';

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

/** What receipt-store says of a new receipt, as far as this service reads it. */
export function recordedEvent(retailer: string, receipt: ReturnedReceipt): EventRecord {
  const { id, identifier, store_reference, timestamp, total, duplicate, properties } = receipt;
  const figures = { id, identifier, store_reference, timestamp, total, currency: 'EUR', duplicate };
  const call = { id: newId(), requestId: newId(), retailer };
  const facts = { subject: id, sequence: 1, data: { ...figures, properties } };
  return readEvent(eventOf(receiptStoreFacts.receiptRecorded, facts, call, new Date()));
}

/** Where the public sees the platform. */
export const publicUrl = 'https://receipts.example';
