import { createHash } from 'node:crypto';
import { Binary } from 'mongodb';
import type { AttachmentLink, FailureReason, PacketState } from '@receipts/contracts';
import {
  newId,
  type EventOrigin,
  type FieldFault,
  type RequestKey,
  type SerializedEvent,
} from '@receipts/kernel';
import {
  outboxIndex,
  type CollectionDeclaration,
  type IndexDeclaration,
  type OutboxItem,
} from '@receipts/storage';
import type { NewPacket } from '../domain/new-packet';
import { acceptedEvent, finishedEvent } from '../domain/packet-events';
import type { Packet } from '../domain/packet-state';
import { nextRetryAt } from '../domain/next-retry-at';

/** The origin of the event of a packet that was accepted. The rest of its content is the packet itself. */
export interface AcceptedOrigin {
  /** The id of `pos_receipt.accepted`. */
  readonly event: string;
  /** The id of the message that caused the event. */
  readonly cause: string;
}

/** The origin of the event of a packet whose first attempt succeeded. */
export interface Conversion {
  /** The id of `pos_receipt.converted`. */
  readonly event: string;
  /** The id of the message that caused the event. */
  readonly cause: string;
}

type StoredDifferently = 'id' | 'receiptId' | 'reason' | 'errors' | 'mapping' | 'properties';

/** A packet with its content. Free-form JSON is stored as a string, because MongoDB restricts the keys of objects. */
export interface PacketDocument extends Omit<Packet, StoredDifferently> {
  readonly _id: string;
  /** The id of the packet's first receipt, if it differs from the packet's id: the receipt of its link. */
  readonly receiptId?: string;
  readonly reason?: FailureReason;
  /** JSON */
  readonly errors?: string;
  readonly mapping?: NonNullable<Packet['mapping']>;
  /** JSON */
  readonly properties: string;
  readonly attachments: readonly AttachmentLink[];
  /** The content; absent once it has been deleted. */
  readonly raw?: Binary;
  /** When the content was deleted, with everything that may name a person. */
  readonly deletedAt?: Date;
  /**
   * `x:<external id>`, `e:<hash of source and entry>`, `l:<receipt id of a link>` and `i:<idempotency key>`: values that
   * must be unique.
   */
  readonly keys?: readonly string[];
  /** SHA-256 of the content, if there are keys other than the idempotency key. */
  readonly fingerprint?: string;
  /** The idempotency keys of the requests that returned this packet: of the first request and of its retries. */
  readonly requests?: readonly RequestKey[];
  /** The latest request that reprocessed the packet, so that a retry of that request does nothing. */
  readonly reprocessedBy?: string;
  /** When to request conversion again; absent once an outcome is known. */
  readonly retryAt?: Date;
  readonly retries: number;
  readonly requestId: string;
  readonly traceparent?: string;
  /** The consumers to whom the posting credential is restricted. */
  readonly confinedTo?: readonly string[];
  readonly acceptance: AcceptedOrigin;
  readonly conversion?: Conversion;
  /** The events of other changes that have not been published yet. */
  readonly outbox?: readonly OutboxItem[];
}

/** If a packet has a single receipt, that receipt has the packet's id and needs no index. */
export const severalReceipts = { 'receiptIds.1': { $exists: true } };
/** Matches packets whose content has not been deleted. */
export const hasContent = { raw: { $exists: true } } as const;
const waitingFilter = { retryAt: { $exists: true } };

export const packetIndexes = {
  newest: { name: 'newest', key: { retailer: 1, _id: -1 } },
  /** Finds packets whose retention period has ended. */
  received: { name: 'received', key: { retailer: 1, receivedAt: 1, _id: 1 }, partial: hasContent },
  /** Lists packets for consumers that have missed their events. */
  changed: { name: 'changed', key: { retailer: 1, updatedAt: 1, _id: 1 }, partial: hasContent },
  /** Finds the packets of a consumer who is erased. */
  identifier: {
    name: 'identifier',
    key: { retailer: 1, 'metadata.identifier': 1 },
    partial: { 'metadata.identifier': { $exists: true } },
  },
  /** Finds idempotency keys that have expired. */
  requests: {
    name: 'requests',
    key: { 'requests.at': 1 },
    partial: { 'requests.at': { $exists: true } },
  },
  status: { name: 'status', key: { retailer: 1, status: 1, _id: -1 } },
  reason: {
    name: 'reason',
    key: { retailer: 1, reason: 1, _id: -1 },
    partial: { reason: { $exists: true } },
  },
  /** Covers the query of the operator's overview. */
  failures: {
    name: 'failures',
    key: { _id: -1, retailer: 1, reason: 1, 'mapping.id': 1, receivedAt: 1 },
    partial: { reason: { $exists: true } },
  },
  receipts: { name: 'receipts', key: { retailer: 1, receiptIds: 1 }, partial: severalReceipts },
  once: { name: 'once', key: { retailer: 1, keys: 1 }, unique: true, partial: { keys: { $exists: true } } },
  reprocessed: {
    name: 'reprocessed',
    key: { retailer: 1, reprocessedBy: 1 },
    partial: { reprocessedBy: { $exists: true } },
  },
  waiting: { name: 'waiting', key: { retryAt: 1 }, partial: waitingFilter },
} as const satisfies Readonly<Record<string, IndexDeclaration>>;

export const packetsDeclaration: CollectionDeclaration = {
  name: 'packets',
  indexes: [...Object.values(packetIndexes), outboxIndex],
};

export function fingerprintOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64');
}

export function externalKey(externalId: string): string {
  return `x:${externalId}`;
}

export function entryKey(sourceId: string, entryId: string): string {
  return `e:${createHash('sha256')
    .update(JSON.stringify([sourceId, entryId]))
    .digest('base64')}`;
}

/** @param receiptId the receipt of the link */
export function linkKey(receiptId: string): string {
  return `l:${receiptId}`;
}

export function bytesOf(raw: Binary): Buffer {
  return Buffer.from(raw.buffer).subarray(0, raw.position);
}

export type PacketWithoutBytes = Omit<PacketDocument, 'raw'>;

export function packetOf(document: PacketWithoutBytes): Packet {
  const { _id: id, reason = null, errors = '[]', mapping = null, properties, ...rest } = document;
  return {
    id,
    receiptId: rest.receiptId ?? id,
    retailer: rest.retailer,
    version: rest.version,
    status: rest.status,
    reason,
    errors: JSON.parse(errors) as FieldFault[],
    contentType: rest.contentType,
    size: rest.size,
    receivedAt: rest.receivedAt,
    updatedAt: rest.updatedAt,
    attempts: rest.attempts,
    mapping,
    metadata: rest.metadata,
    properties: JSON.parse(properties) as Record<string, string>,
    receiptIds: rest.receiptIds,
  };
}

export function requestKeyName({ key }: Pick<RequestKey, 'key'>): string {
  return `i:${key}`;
}

/** The fields that identify an earlier packet with the same keys. */
export type PacketKeys = Pick<
  PacketDocument,
  '_id' | 'receiptId' | 'retailer' | 'keys' | 'fingerprint' | 'requests'
> & { readonly status?: PacketState };

export function packetKeysOf({ id, receiptId, call, bytes, metadata, request }: NewPacket): PacketKeys {
  const { external_id: externalId, source_id: sourceId, entry_id: entryId } = metadata;
  const keys = [
    ...(externalId === undefined ? [] : [externalKey(externalId)]),
    ...(sourceId === undefined || entryId === undefined ? [] : [entryKey(sourceId, entryId)]),
    ...(receiptId === undefined ? [] : [linkKey(receiptId)]),
  ];
  const all = [...keys, ...(request ? [requestKeyName(request)] : [])];
  return {
    _id: id,
    ...(receiptId !== undefined && { receiptId }),
    retailer: call.retailer,
    ...(all.length > 0 && { keys: all }),
    ...(keys.length > 0 && { fingerprint: fingerprintOf(bytes) }),
    ...(request && { requests: [request] }),
  };
}

/**
 * The document of a new packet.
 * @param firstWaitMs the time after which conversion is requested again
 */
export function newDocument(packet: NewPacket, now: Date, firstWaitMs: number): PacketDocument {
  const { call, bytes, contentType, metadata } = packet;
  const { _id, ...keys } = packetKeysOf(packet);
  return {
    _id,
    ...keys,
    version: 1,
    status: 'accepted',
    contentType,
    size: bytes.length,
    receivedAt: packet.receivedAt,
    updatedAt: packet.receivedAt,
    attempts: 1,
    metadata,
    properties: JSON.stringify(packet.properties),
    attachments: packet.attachments,
    receiptIds: [],
    retries: 0,
    retryAt: nextRetryAt(now, 0, firstWaitMs),
    requestId: call.requestId,
    ...(call.traceparent !== undefined && { traceparent: call.traceparent }),
    ...(call.consumers && { confinedTo: call.consumers }),
    acceptance: { event: newId(packet.receivedAt.getTime()), cause: call.id },
    raw: new Binary(bytes),
  };
}

/** The version of a packet after its first outcome. */
const firstOutcomeVersion = 2;

const causeOf = (
  { retailer, requestId, traceparent }: PacketWithoutBytes,
  cause: string,
): Omit<EventOrigin, 'id' | 'at'> => ({
  retailer,
  requestId,
  causationId: cause,
  ...(traceparent !== undefined && { traceparent }),
});

/** Always the same, because its content never changes. */
export function acceptedEventOf(document: PacketWithoutBytes): SerializedEvent {
  const { acceptance, receivedAt } = document;
  const origin = { id: acceptance.event, at: receivedAt, ...causeOf(document, acceptance.cause) };
  return acceptedEvent(packetOf(document), origin);
}

/** Always the same, because a packet whose first attempt succeeded is never converted again. */
export function convertedEventOf(document: PacketWithoutBytes): SerializedEvent | undefined {
  const { conversion, updatedAt } = document;
  if (!conversion) return undefined;
  const origin = { id: conversion.event, at: updatedAt, ...causeOf(document, conversion.cause) };
  return finishedEvent({ ...packetOf(document), version: firstOutcomeVersion }, origin);
}
