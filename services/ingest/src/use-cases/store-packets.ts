import { Binary } from 'mongodb';
import type { AttachmentLink, PacketMetadata } from '@receipts/contracts';
import { newId, ServiceError, type Call } from '@receipts/kernel';
import {
  commandItem,
  deadlineSignal,
  isDuplicateKey,
  outboxItem,
  writeErrorsByIndex,
} from '@receipts/storage';
import { acceptedEvent, type Packet } from '../domain/packet-state';
import { sendAgainAt } from '../domain/send-again';
import { entryKey, externalKey, fingerprintOf, packetOf, type PacketDocument } from '../storage/packets';
import type { Parts } from './parts';

/** A packet that is to be stored. */
export interface NewPacket {
  readonly id: string;
  readonly call: Call;
  readonly bytes: Buffer;
  readonly contentType: string | null;
  readonly metadata: PacketMetadata;
  readonly properties: Readonly<Record<string, string>>;
  readonly attachments: readonly AttachmentLink[];
}

export const convertCommandType = 'transform.convert-packet';

const duplicateExternalId = {
  status: 409,
  code: 'duplicate_external_id',
  description: 'the external id was used with another receipt',
};

function keysOf({ metadata }: NewPacket): string[] {
  const { external_id: externalId, source_id: sourceId, entry_id: entryId } = metadata;
  return [
    ...(externalId === undefined ? [] : [externalKey(externalId)]),
    ...(sourceId === undefined || entryId === undefined ? [] : [entryKey(sourceId, entryId)]),
  ];
}

function documentOf(packet: NewPacket, now: Date, sendAgainAfterMs: number): PacketDocument {
  const { id, call, bytes, contentType, metadata } = packet;
  const keys = keysOf(packet);
  const document = {
    _id: id,
    retailer: call.retailer,
    version: 1,
    status: 'accepted' as const,
    contentType,
    size: bytes.length,
    receivedAt: now,
    updatedAt: now,
    attempts: 1,
    metadata,
    properties: JSON.stringify(packet.properties),
    attachments: packet.attachments,
    receiptIds: [],
    ...(keys.length > 0 && { keys, fingerprint: fingerprintOf(bytes) }),
    sendAgainAt: sendAgainAt(now, 0, sendAgainAfterMs),
    sends: 0,
    requestId: call.requestId,
    ...(call.traceparent !== undefined && { traceparent: call.traceparent }),
  };
  const accepted: Packet = packetOf(document);
  return {
    ...document,
    raw: new Binary(bytes),
    outbox: [
      outboxItem(acceptedEvent(accepted, call, now)),
      commandItem({ id: newId(now.getTime()), at: now, type: convertCommandType }),
    ],
  };
}

/** The id under which the packet is kept: its own, or that of the one that came before it. */
export type Stored = { readonly id: string } | ServiceError;

/** A packet whose key was used: the same bytes are the same packet, and an entry of a journal is what it was at first. */
async function findEarlier(parts: Parts, document: PacketDocument, call: Call): Promise<Stored> {
  for (const key of document.keys ?? []) {
    const earlier = await parts.packets.findByKey(document.retailer, key, call);
    if (!earlier) continue;
    if (key.startsWith('e:') || earlier.fingerprint === document.fingerprint) return { id: earlier._id };
    return new ServiceError(duplicateExternalId, { extra: { id: earlier._id } });
  }
  return new ServiceError(duplicateExternalId);
}

/**
 * Stores packets, each with the event and the order for conversion that follow from it. A packet that was delivered twice is
 * stored once.
 * @throws whatever the database throws when nothing is known about the outcome.
 */
export async function storePackets(parts: Parts, packets: readonly NewPacket[]): Promise<Stored[]> {
  if (packets.length === 0) return [];
  const now = parts.now();
  const documents = packets.map((packet) => documentOf(packet, now, parts.sendAgainAfterMs));
  let refused: ReadonlyMap<number, unknown> = new Map();
  try {
    await parts.packets.collection.insertMany([...documents], {
      ordered: false,
      signal: deadlineSignal(packets.map(({ call }) => call)),
    });
  } catch (error) {
    const faults = writeErrorsByIndex(error);
    if (!faults || ![...faults.values()].every((fault) => isDuplicateKey(fault))) throw error;
    refused = faults;
  }
  parts.packetRelay.nudge(
    documents.flatMap((document, index) =>
      refused.has(index)
        ? []
        : [{ _id: document._id, items: document.outbox ?? [], document, bytes: document.size }],
    ),
  );
  return Promise.all(
    documents.map(async (document, index): Promise<Stored> => {
      const { call, id } = packets[index] as NewPacket;
      const isSecondDelivery = isDuplicateKey(refused.get(index), '_id_');
      return !refused.has(index) || isSecondDelivery ? { id } : findEarlier(parts, document, call);
    }),
  );
}
