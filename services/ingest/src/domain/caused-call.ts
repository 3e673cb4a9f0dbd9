import type { PacketToConvert } from '@receipts/contracts';
import { serviceCall, type Call, timestampOf } from '@receipts/kernel';
import type { NewPacket } from './new-packet';

/** The cause of a message from this service. */
export interface Cause {
  readonly requestId: string;
  readonly causationId: string;
  readonly retailer: string;
  readonly traceparent?: string | undefined;
  /** The consumers to whom the posting credential is restricted. The packet's receipts must belong to them. */
  readonly consumers?: readonly string[] | undefined;
}

/** The context of a message that this service sends on its own behalf. */
export function causedCall(cause: Cause, now: Date, timeoutMs: number): Call {
  return {
    causationId: cause.causationId,
    ...serviceCall('ingest', now.getTime(), cause.retailer, timeoutMs),
    requestId: cause.requestId,
    ...(cause.traceparent !== undefined && { traceparent: cause.traceparent }),
    ...(cause.consumers && { consumers: cause.consumers }),
  };
}

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
