import { posReceiptAccepted, posReceiptConverted, posReceiptFailed } from '@receipts/contracts';
import { printEvent, type EventOrigin, type PrintedEvent } from '@receipts/kernel';
import { isDuplicate, type Packet } from './packet-state';

function factsOf(packet: Packet) {
  return {
    id: packet.id,
    receipt_id: packet.id,
    content_type: packet.contentType,
    size: packet.size,
    metadata: packet.metadata,
    duplicate: isDuplicate(packet),
  };
}

/** Says nothing that changes later, so it can be told at any time. */
export function acceptedEvent(packet: Packet, origin: EventOrigin): PrintedEvent {
  return printEvent(posReceiptAccepted, { subject: packet.id, sequence: 1, data: factsOf(packet) }, origin);
}

/** What became of a packet that is converted or has failed. */
export function finishedEvent(packet: Packet, origin: EventOrigin): PrintedEvent {
  const { id: subject, version: sequence, mapping, reason, errors, receiptIds } = packet;
  const facts = { ...factsOf(packet), mapping };
  return reason
    ? printEvent(
        posReceiptFailed,
        { subject, sequence, data: { ...facts, reason, errors: [...errors] } },
        origin,
      )
    : printEvent(
        posReceiptConverted,
        { subject, sequence, data: { ...facts, receipt_ids: [...receiptIds] } },
        origin,
      );
}
