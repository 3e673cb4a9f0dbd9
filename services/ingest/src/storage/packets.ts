import { createHash } from 'node:crypto';
import { type Binary, type Collection, type Filter } from 'mongodb';
import type { AttachmentLink, FailureReason, PacketMetadata, PacketState } from '@receipts/contracts';
import { deadlineSignal, outboxIndex, type CollectionDeclaration, type OutboxItem } from '@receipts/storage';
import type { Packet, PacketFault } from '../domain/packet-state';

/** A packet with its bytes. Free JSON is kept as text, because its keys may hold what a database cannot have in keys. */
export interface PacketDocument {
  readonly _id: string;
  readonly retailer: string;
  readonly version: number;
  readonly status: PacketState;
  readonly reason?: FailureReason;
  /** JSON */
  readonly errors?: string;
  readonly contentType: string | null;
  readonly size: number;
  readonly receivedAt: Date;
  readonly updatedAt: Date;
  readonly attempts: number;
  readonly mapping?: { readonly id: string; readonly version: number };
  readonly metadata: PacketMetadata;
  /** JSON */
  readonly properties: string;
  readonly attachments: readonly AttachmentLink[];
  readonly receiptIds: readonly string[];
  readonly raw: Binary;
  /** `x:<external id>` and `e:<hash of source and entry>`: what may arrive only once. */
  readonly keys?: readonly string[];
  /** SHA-256 of the bytes, where there are keys. */
  readonly fingerprint?: string;
  /** When to give it to conversion again; absent once an outcome is known. */
  readonly sendAgainAt?: Date;
  readonly sends: number;
  readonly requestId: string;
  readonly traceparent?: string;
  readonly outbox?: readonly OutboxItem[];
}

/** The only receipt of a packet has the packet's id, so it needs no index. */
const severalReceipts = { 'receiptIds.1': { $exists: true } };
const waitingFilter = { sendAgainAt: { $exists: true } };

export const packetsDeclaration: CollectionDeclaration = {
  name: 'packets',
  indexes: [
    { name: 'arrival', key: { retailer: 1, _id: -1 } },
    { name: 'status', key: { retailer: 1, status: 1, _id: -1 } },
    { name: 'reason', key: { retailer: 1, reason: 1, _id: -1 }, partial: { reason: { $exists: true } } },
    { name: 'receipts', key: { retailer: 1, receiptIds: 1 }, partial: severalReceipts },
    { name: 'once', key: { retailer: 1, keys: 1 }, unique: true, partial: { keys: { $exists: true } } },
    { name: 'waiting', key: { sendAgainAt: 1 }, partial: waitingFilter },
    outboxIndex,
  ],
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

export function bytesOf(document: Pick<PacketDocument, 'raw'>): Buffer {
  return Buffer.from(document.raw.buffer).subarray(0, document.raw.position);
}

type WithoutBytes = Omit<PacketDocument, 'raw'>;

export function packetOf(document: WithoutBytes): Packet {
  const { _id: id, reason = null, errors = '[]', mapping = null, properties, ...rest } = document;
  return {
    id,
    retailer: rest.retailer,
    version: rest.version,
    status: rest.status,
    reason,
    errors: JSON.parse(errors) as PacketFault[],
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

/** The changeable members of a packet after it was finished. */
export function finishedFields(packet: Packet) {
  const { status, reason, errors, mapping, receiptIds, updatedAt } = packet;
  const set = { status, receiptIds, updatedAt, errors: JSON.stringify(errors) };
  return {
    $set: { ...set, ...(reason && { reason }), ...(mapping && { mapping }) },
    $unset: {
      sendAgainAt: '' as const,
      ...(!reason && { reason: '' as const }),
      ...(!mapping && { mapping: '' as const }),
    },
  };
}

const noBytes = { projection: { raw: 0, outbox: 0 } } as const;

type Waiter = { readonly deadline: number };

export interface PacketSelection {
  readonly status?: PacketState | undefined;
  readonly reason?: FailureReason | undefined;
  readonly older?: string | undefined;
  readonly count: number;
}

/** The packets of all retailers; every question names one. */
export class Packets {
  constructor(readonly collection: Collection<PacketDocument>) {}

  async find(retailer: string, id: string, waiter: Waiter): Promise<Packet | undefined> {
    const signal = deadlineSignal(waiter);
    const own = await this.collection.findOne<WithoutBytes>({ _id: id, retailer }, { ...noBytes, signal });
    const found =
      own ??
      (await this.collection.findOne<WithoutBytes>(
        { retailer, receiptIds: id, ...severalReceipts },
        { ...noBytes, signal },
      ));
    return found ? packetOf(found) : undefined;
  }

  async findMany(ids: readonly string[], signal: AbortSignal): Promise<Map<string, Packet>> {
    const found = await this.collection
      .find<WithoutBytes>({ _id: { $in: [...ids] } }, { ...noBytes, signal })
      .toArray();
    return new Map(found.map((document) => [document._id, packetOf(document)]));
  }

  async findBytes(retailer: string, id: string, waiter: Waiter) {
    const packet = await this.find(retailer, id, waiter);
    if (!packet) return undefined;
    const signal = deadlineSignal(waiter);
    const found = await this.collection.findOne<Pick<PacketDocument, 'raw'>>(
      { _id: packet.id, retailer },
      { projection: { raw: 1 }, signal },
    );
    return found ? { packet, bytes: bytesOf(found) } : undefined;
  }

  async findByKey(retailer: string, key: string, waiter: Waiter) {
    return this.collection.findOne<Pick<PacketDocument, '_id' | 'fingerprint'>>(
      { retailer, keys: key },
      { projection: { fingerprint: 1 }, signal: deadlineSignal(waiter) },
    );
  }

  /** @param name the id of the packet, or one of its keys */
  async state(
    retailer: string,
    name: { readonly _id: string } | { readonly keys: string },
    waiter: Waiter,
  ): Promise<PacketState | 'unknown'> {
    const found = await this.collection.findOne<Pick<PacketDocument, 'status'>>(
      { ...name, retailer },
      { projection: { status: 1 }, signal: deadlineSignal(waiter) },
    );
    return found?.status ?? 'unknown';
  }

  /** Newest first. */
  async list(retailer: string, selection: PacketSelection, waiter: Waiter): Promise<Packet[]> {
    const { status, reason, older, count } = selection;
    const filter: Filter<PacketDocument> = {
      retailer,
      ...(status && { status }),
      ...(reason && { reason }),
      ...(older !== undefined && { _id: { $lt: older } }),
    };
    const found = await this.collection
      .find<WithoutBytes>(filter, {
        ...noBytes,
        sort: { _id: -1 },
        limit: count,
        signal: deadlineSignal(waiter),
      })
      .toArray();
    return found.map(packetOf);
  }

  /** Those that nobody has said anything about for too long, the longest first. */
  async waiting(now: Date, countMax: number): Promise<PacketDocument[]> {
    return this.collection
      .find({ sendAgainAt: { $lte: now } }, { sort: { sendAgainAt: 1 }, limit: countMax })
      .toArray();
  }
}
