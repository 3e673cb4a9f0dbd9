import {
  defaultRetailerSettings,
  receiptCreated,
  receiptStoreEvents,
  receiptStoreInternalEvents,
  returnedReceiptExample,
  type Identifier,
  type Retailer,
  type ReturnedReceipt,
} from '@receipts/contracts';
import { sealer } from '@receipts/host';
import { eventOf, newId, type CloudEvent, type EventRecord } from '@receipts/kernel';
import { readEvent } from '@receipts/testing';
import { addressGuard } from '../outgoing/address-guard';
import { webhookPoster, type PostWebhook } from '../webhooks/http/post-webhook';
import { hostResolver } from '../outgoing/resolve-host';

type Item = ReturnedReceipt['items'][number];

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

export { callOf } from '@receipts/testing';

/** The parts of receipt-store's event of a new receipt that this service uses. */
export function recordedEvent(retailer: string, receipt: ReturnedReceipt, arrival = 1): EventRecord {
  const { id, identifier, store_reference, timestamp, total, duplicate, properties } = receipt;
  const voided = receipt.voided !== null;
  const figures = { id, identifier, store_reference, timestamp, total, currency: 'EUR', duplicate, voided };
  const call = { id: newId(), requestId: newId(), retailer };
  const facts = { subject: id, sequence: 1, data: { ...figures, properties, arrival } };
  return readEvent(eventOf(receiptStoreInternalEvents.receiptRecorded, facts, call, new Date()));
}

/** The public URL of the platform. */
export const publicUrl = 'https://receipts.example';

/** The full event of a new receipt, as integrators receive it. */
export function createdEvent(retailer: string, receipt: ReturnedReceipt): CloudEvent {
  const call = { id: newId(), requestId: newId(), retailer };
  const data = { id: receipt.id, identifier: receipt.identifier, receipt } as never;
  const facts = { subject: receipt.id, sequence: 1, data };
  return readEvent(eventOf(receiptCreated, facts, call, new Date()));
}

export function deletedEvent(retailer: string, id: string): EventRecord {
  const call = { id: newId(), requestId: newId(), retailer };
  const data = { id, transaction_id: 'T-1', deleted_timestamp: new Date().toISOString() } as never;
  return readEvent(
    eventOf(receiptStoreEvents.receiptDeleted, { subject: id, sequence: 2, data }, call, new Date()),
  );
}

const local = { allowHttp: true, guard: addressGuard(['127.0.0.0/8', '::1/128']) };

const retrySeconds = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

/** The settings that webhooks need to reach receivers on this machine. */
export function webhookParts(post: PostWebhook = webhookPoster({ ...local, resolve: hostResolver() })) {
  return {
    sealer: sealer(Buffer.alloc(32, 5).toString('base64')),
    webhooks: { target: local, post, retrySeconds, random: () => 0 },
  };
}
