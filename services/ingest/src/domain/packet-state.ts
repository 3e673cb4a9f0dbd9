import type {
  FailureReason,
  PacketFault,
  PacketMetadata,
  PacketState,
  PacketView,
} from '@receipts/contracts';
import { timestampOf } from '@receipts/kernel';

/** A packet without its content. */
export interface Packet {
  readonly id: string;
  /** The id of the packet's first receipt: the packet's own id, or that of its link. */
  readonly receiptId: string;
  readonly retailer: string;
  /** Starts at 1; every change adds one. */
  readonly version: number;
  readonly status: PacketState;
  readonly reason: FailureReason | null;
  readonly errors: readonly PacketFault[];
  readonly contentType: string | null;
  readonly size: number;
  readonly receivedAt: Date;
  readonly updatedAt: Date;
  /** The number of times that conversion was requested. Retries because of a missing reply do not count. */
  readonly attempts: number;
  readonly mapping: { readonly id: string; readonly version: number } | null;
  readonly metadata: PacketMetadata;
  readonly properties: Readonly<Record<string, string>>;
  readonly receiptIds: readonly string[];
}

/** The outcome of an attempt, as reported by receipt-store or transform. */
export interface ConversionResult {
  readonly attempt: number;
  readonly receiptIds: readonly string[];
  readonly mapping: { readonly id: string; readonly version: number } | null;
  readonly failure: { readonly reason: FailureReason; readonly errors: readonly PacketFault[] } | null;
}

export const isDuplicate = (packet: Packet): boolean => packet.metadata.duplicate ?? false;

/**
 * The state of a packet after an attempt. Undefined if nothing changes: the packet is already converted, or the attempt
 * failed but a later attempt has been started, whose outcome counts.
 */
export function finishPacket(packet: Packet, finish: ConversionResult, now: Date): Packet | undefined {
  if (packet.status === 'converted') return undefined;
  const { failure, mapping, receiptIds } = finish;
  if (failure && (packet.status !== 'accepted' || finish.attempt !== packet.attempts)) return undefined;
  return {
    ...packet,
    version: packet.version + 1,
    status: failure ? 'failed' : 'converted',
    reason: failure?.reason ?? null,
    errors: failure?.errors ?? [],
    mapping,
    receiptIds,
    updatedAt: now,
  };
}

/** The packet as returned to its retailer. */
export function viewOf(packet: Packet): PacketView {
  return {
    id: packet.id,
    status: packet.status,
    reason: packet.reason,
    errors: packet.errors.map(({ path, code, message, part }) => ({
      path,
      code,
      message,
      ...(part !== undefined && { part }),
    })),
    content_type: packet.contentType,
    size: packet.size,
    received_timestamp: timestampOf(packet.receivedAt),
    updated_timestamp: timestampOf(packet.updatedAt),
    attempts: packet.attempts,
    mapping: packet.mapping && { id: packet.mapping.id, version: packet.mapping.version },
    metadata: packet.metadata,
    properties: { ...packet.properties },
    receipt_id: packet.receiptId,
    receipt_ids: [...packet.receiptIds],
    duplicate: isDuplicate(packet),
  };
}
