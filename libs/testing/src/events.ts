import type { CloudEvent, EventRecord, PrintedEvent } from '@receipts/kernel';

/** A printed event as a subscriber reads it. */
export function readEvent({ text }: PrintedEvent): CloudEvent {
  return JSON.parse(text) as CloudEvent;
}

/** An event of our own services, as its owner would hand it to the broker; it need not make sense. */
export function internalEvent(record: EventRecord): PrintedEvent {
  const { id, type, retailer, correlationid, time } = record;
  const shown = { id, type, retailer, correlationId: correlationid, at: Date.parse(time) };
  return { ...shown, isInternal: true, text: JSON.stringify(record) };
}
