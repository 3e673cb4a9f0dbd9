import type { PacketToConvert } from '@receipts/contracts';
import { timestampOf } from '@receipts/kernel';
import type { NewPacket } from './new-packet';

/** A packet as sent to transform. */
export function packetToConvert(
  packet: Pick<
    NewPacket,
    'id' | 'receiptId' | 'bytes' | 'contentType' | 'metadata' | 'properties' | 'attachments' | 'receivedAt'
  >,
): { readonly params: PacketToConvert; readonly body: Buffer } {
  const { id, receiptId, bytes, contentType, metadata, properties, attachments, receivedAt } = packet;
  const params = {
    id,
    ...(receiptId !== undefined && { receiptId }),
    packetContentType: contentType,
    metadata,
    properties: { ...properties },
    attachments: [...attachments],
    receivedTimestamp: timestampOf(receivedAt),
  };
  return { params, body: bytes };
}
