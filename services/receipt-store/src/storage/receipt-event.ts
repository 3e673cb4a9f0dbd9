import {
  figureProperties,
  receiptAssigned,
  receiptCheckFailed,
  receiptCreated,
  receiptDeleted,
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
  type EventOrigin,
  type SerializedEvent,
  timestampOf,
} from '@receipts/kernel';
import { failedCheckCodes } from '../domain/checks';
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
    createdEvent(receipt, text, origin),
    // A receipt is recorded once, so its id is also unique for this event.
    serializeEvent(receiptRecorded, { ...event, data: recorded }, { ...origin, id: receipt.id }),
  ];
}

/** A receipt after a change. */
interface Changed {
  readonly receipt: ReturnedReceipt;
  readonly text: string;
  readonly version: number;
}

export function updatedEvent({ receipt, text, version }: Changed, origin: EventOrigin): SerializedEvent {
  return serializeEvent(
    receiptUpdated,
    { subject: receipt.id, sequence: version, data: wholeReceipt(receipt, text) },
    origin,
  );
}

export function assignedEvent(
  { receipt, version }: Omit<Changed, 'text'>,
  origin: EventOrigin,
): SerializedEvent {
  return serializeEvent(
    receiptAssigned,
    { subject: receipt.id, sequence: version, data: receiptFacts(receipt) },
    origin,
  );
}

export function voidedEvent(
  { receipt, version }: Omit<Changed, 'text'>,
  origin: EventOrigin,
): SerializedEvent {
  const data = { ...receiptFacts(receipt), voided: receipt.voided };
  return serializeEvent(receiptVoided, { subject: receipt.id, sequence: version, data }, origin);
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

function revisedEvent({ receipt, version }: Changed, origin: EventOrigin): SerializedEvent {
  return serializeEvent(
    receiptRevised,
    { subject: receipt.id, sequence: version, data: figuresOf(receipt) },
    origin,
  );
}

export function deletedEvent(
  { id, transaction_id, version }: { id: string; transaction_id: string; version: number },
  origin: EventOrigin,
): SerializedEvent {
  const data = { id, transaction_id, deleted_timestamp: timestampOf(origin.at) };
  return serializeEvent(receiptDeleted, { subject: id, sequence: version, data }, origin);
}

export function createdEvent(receipt: ReturnedReceipt, text: string, origin: EventOrigin): SerializedEvent {
  return serializeEvent(
    receiptCreated,
    { subject: receipt.id, sequence: 1, data: wholeReceipt(receipt, text) },
    origin,
  );
}

/** The events of a patch. */
export function updatedEvents(
  changed: Changed,
  isAssigned: boolean,
  call: Call,
  now: Date,
): SerializedEvent[] {
  return [
    updatedEvent(changed, originOf(call, now)),
    ...(isAssigned ? [assignedEvent(changed, originOf(call, now))] : []),
    revisedEvent(changed, originOf(call, now)),
  ];
}

/** The events of a receipt that was voided. */
export function voidedEvents(changed: Changed, call: Call, now: Date): SerializedEvent[] {
  return [voidedEvent(changed, originOf(call, now)), revisedEvent(changed, originOf(call, now))];
}

/** The events of a receipt that was assigned to a consumer. */
export function assignedEvents(changed: Changed, call: Call, now: Date): SerializedEvent[] {
  return [assignedEvent(changed, originOf(call, now)), revisedEvent(changed, originOf(call, now))];
}
