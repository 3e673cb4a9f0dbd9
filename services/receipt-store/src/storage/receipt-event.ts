import {
  figureProperties,
  receiptAssigned,
  receiptCheckFailed,
  receiptCreated,
  receiptDeleted,
  receiptGiftCreated,
  receiptRecorded,
  receiptRevised,
  receiptUpdated,
  receiptVoided,
  type ReceiptFacts,
  type ReceiptFigures,
  type ReturnedReceipt,
} from '@receipts/contracts';
import {
  originOf,
  serializeEvent,
  type Call,
  type EventContract,
  type EventOrigin,
  type SerializedEvent,
  timestampOf,
} from '@receipts/kernel';
import { failedCheckCodes } from '../domain/checks';
import { giftId, type Gift } from '../domain/gift';
import type { Creation } from './receipt-document';

/** The data of all public events of a receipt. */
function receiptFacts(receipt: ReturnedReceipt): ReceiptFacts {
  return {
    id: receipt.id,
    transaction_id: receipt.transaction_id,
    external_id: receipt.external_id,
    identifier: receipt.identifier,
    store_reference: receipt.store_reference,
    timestamp: receipt.timestamp,
    total: receipt.total,
    currency: receipt.l10n.currency,
    duplicate: receipt.duplicate,
  };
}

/** The data of the internal events of a receipt. */
export function figuresOf(receipt: ReturnedReceipt): ReceiptFigures {
  const properties: Record<string, unknown> = {};
  for (const name of figureProperties) {
    const value = receipt.properties[name];
    if (value !== undefined && value !== null) properties[name] = value;
  }
  return {
    id: receipt.id,
    identifier: receipt.identifier,
    store_reference: receipt.store_reference,
    timestamp: receipt.timestamp,
    total: receipt.total,
    currency: receipt.l10n.currency,
    duplicate: receipt.duplicate,
    voided: receipt.voided !== null,
    properties,
  };
}

/**
 * The data of an event with the whole receipt. It reuses the stored JSON text, because serializing the receipt is the
 * largest cost.
 */
const wholeReceipt = (receipt: ReturnedReceipt, text: string) => () =>
  `${JSON.stringify(receiptFacts(receipt)).slice(0, -1)},"receipt":${text}}`;

/** A receipt after a change. */
interface ChangedReceipt {
  readonly receipt: ReturnedReceipt;
  readonly text: string;
  readonly version: number;
}

type ReceiptEvent = (changed: ChangedReceipt, origin: EventOrigin) => SerializedEvent;

const receiptEvent =
  <E extends EventContract>(
    contract: E,
    dataOf: (receipt: ReturnedReceipt, text: string) => Parameters<typeof serializeEvent<E>>[1]['data'],
  ): ReceiptEvent =>
  ({ receipt, text, version: sequence }, origin) =>
    serializeEvent(contract, { subject: receipt.id, sequence, data: dataOf(receipt, text) }, origin);

export const createdEvent = receiptEvent(receiptCreated, wholeReceipt);
export const updatedEvent = receiptEvent(receiptUpdated, wholeReceipt);
export const assignedEvent = receiptEvent(receiptAssigned, receiptFacts);
export const voidedEvent = receiptEvent(receiptVoided, (receipt) => ({
  ...receiptFacts(receipt),
  voided: receipt.voided,
}));
/** The event of a gift receipt. */
export const giftCreatedEvent = (gift: Gift): ReceiptEvent =>
  receiptEvent(receiptGiftCreated, (receipt) => ({
    ...receiptFacts(receipt),
    gift_id: giftId({ receiptId: receipt.id, version: gift.version }),
    items: [...gift.items],
    until: gift.until ?? null,
  }));
const revisedEvent = receiptEvent(receiptRevised, figuresOf);

/** These events and the internal event of a change, each with its own id. */
export function eventsOfChange(
  changed: ChangedReceipt,
  call: Call,
  now: Date,
  ...events: readonly ReceiptEvent[]
): SerializedEvent[] {
  return [...events, revisedEvent].map((event) => event(changed, originOf(call, now)));
}

/**
 * The same receipt and origin produce the same events.
 * @param arrival the receipt's arrival position
 * @param confinedTo the consumers to whom the posting credential is restricted
 */
export function createdEvents(
  receipt: ReturnedReceipt,
  text: string,
  origin: EventOrigin,
  arrival: number,
  confinedTo?: readonly string[],
): SerializedEvent[] {
  const event = { subject: receipt.id, sequence: 1 };
  const recorded = { arrival, ...figuresOf(receipt), ...(confinedTo && { confined_to: [...confinedTo] }) };
  return [
    createdEvent({ receipt, text, version: 1 }, origin),
    // A receipt is recorded once, so its id is also unique for this event.
    serializeEvent(receiptRecorded, { ...event, data: recorded }, { ...origin, id: receipt.id }),
  ];
}

/** The event for a new receipt that does not add up; empty if the receipt adds up. */
export function checkFailedEvents(
  receipt: ReturnedReceipt,
  creation: Pick<Creation, 'checkFailed'> | undefined,
  origin: EventOrigin,
): SerializedEvent[] {
  const id = creation?.checkFailed;
  if (id === undefined) return [];
  const data = { ...receiptFacts(receipt), codes: failedCheckCodes(receipt) };
  return [serializeEvent(receiptCheckFailed, { subject: receipt.id, sequence: 1, data }, { ...origin, id })];
}

export function deletedEvent(
  { id, transaction_id, version }: { id: string; transaction_id: string; version: number },
  origin: EventOrigin,
): SerializedEvent {
  const data = { id, transaction_id, deleted_timestamp: timestampOf(origin.at) };
  return serializeEvent(receiptDeleted, { subject: id, sequence: version, data }, origin);
}
