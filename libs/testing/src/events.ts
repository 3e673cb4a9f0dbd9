import type { CloudEvent, EventRecord, SerializedEvent } from '@receipts/kernel';

/** A published event as parsed by a subscriber. */
export function readEvent({ text }: SerializedEvent): CloudEvent {
  return JSON.parse(text) as CloudEvent;
}

/** An internal event as published by its owner. Its data need not be valid. */
export function internalEvent(record: EventRecord): SerializedEvent {
  const { id, type, retailer, correlationid, time } = record;
  const shown = { id, type, retailer, correlationId: correlationid, at: Date.parse(time) };
  return { ...shown, isInternal: true, text: JSON.stringify(record) };
}
