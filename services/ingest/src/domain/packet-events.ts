import { posReceiptAccepted, posReceiptConverted, posReceiptFailed } from '@receipts/contracts';
import { serializeEvent, type EventOrigin, type SerializedEvent } from '@receipts/kernel';
import { isDuplicate, type Packet } from './packet-state';

function factsOf(packet: Packet) {
  return {
    id: packet.id,
    receipt_id: packet.receiptId,
    content_type: packet.contentType,
    size: packet.size,
    metadata: packet.metadata,
    duplicate: isDuplicate(packet),
  };
}

/** The content of this event never changes, so it can be published at any time. */
export function acceptedEvent(packet: Packet, origin: EventOrigin): SerializedEvent {
  return serializeEvent(
    posReceiptAccepted,
    { subject: packet.id, sequence: 1, data: factsOf(packet) },
    origin,
  );
}

/** The event of a packet that was converted or has failed. */
export function finishedEvent(packet: Packet, origin: EventOrigin): SerializedEvent {
  const { id: subject, version: sequence, mapping, reason, errors, receiptIds } = packet;
  const facts = { ...factsOf(packet), mapping };
  return reason
    ? serializeEvent(
        posReceiptFailed,
        { subject, sequence, data: { ...facts, reason, errors: [...errors] } },
        origin,
      )
    : serializeEvent(
        posReceiptConverted,
        { subject, sequence, data: { ...facts, receipt_ids: [...receiptIds] } },
        origin,
      );
}
