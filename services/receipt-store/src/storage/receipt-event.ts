import {
  figureProperties,
  receiptAssigned,
  receiptCreated,
  receiptRecorded,
  receiptRevised,
  receiptUpdated,
  type ReceiptFacts,
  type ReceiptFigures,
  type ReturnedReceipt,
} from '@receipts/contracts';
import { eventOf, printEvent, type Call, type EventOrigin, type PrintedEvent } from '@receipts/kernel';

/** What every public event of a receipt says of it. */
function factsOf(receipt: ReturnedReceipt): ReceiptFacts {
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

/** What our own services need to know of a receipt. */
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
    properties,
  };
}

/** The data of an event that shows the whole receipt: its text was printed before, and printing it is what costs most. */
const wholeReceipt = (receipt: ReturnedReceipt, text: string): string =>
  `${JSON.stringify(factsOf(receipt)).slice(0, -1)},"receipt":${text}}`;

/**
 * The events of a new receipt. The same receipt and origin give the same events.
 * @param arrival its place in the order of arrival
 * @param confinedTo the consumers to whom the credential that posted it is confined
 */
export function createdEvents(
  receipt: ReturnedReceipt,
  text: string,
  origin: EventOrigin,
  arrival: number,
  confinedTo?: readonly string[],
): PrintedEvent[] {
  const said = { subject: receipt.id, sequence: 1 };
  const recorded = { ...figuresOf(receipt), arrival, ...(confinedTo && { confined_to: [...confinedTo] }) };
  return [
    printEvent(receiptCreated, { ...said, data: wholeReceipt(receipt, text) }, origin),
    // A receipt is recorded once, so its id is unique for this event as well.
    printEvent(receiptRecorded, { ...said, data: recorded }, { ...origin, id: receipt.id }),
  ];
}

/** A receipt after a change. */
interface Changed {
  readonly receipt: ReturnedReceipt;
  readonly text: string;
  readonly version: number;
}

/** The events of a patch. */
export function updatedEvents(
  { receipt, text, version }: Changed,
  isAssigned: boolean,
  call: Call,
  now: Date,
): PrintedEvent[] {
  const said = { subject: receipt.id, sequence: version };
  return [
    eventOf(receiptUpdated, { ...said, data: wholeReceipt(receipt, text) }, call, now),
    ...(isAssigned ? [eventOf(receiptAssigned, { ...said, data: factsOf(receipt) }, call, now)] : []),
    eventOf(receiptRevised, { ...said, data: figuresOf(receipt) }, call, now),
  ];
}

/** The events of a receipt that got its consumer. */
export function assignedEvents({ receipt, version }: Changed, call: Call, now: Date): PrintedEvent[] {
  const said = { subject: receipt.id, sequence: version };
  return [
    eventOf(receiptAssigned, { ...said, data: factsOf(receipt) }, call, now),
    eventOf(receiptRevised, { ...said, data: figuresOf(receipt) }, call, now),
  ];
}
