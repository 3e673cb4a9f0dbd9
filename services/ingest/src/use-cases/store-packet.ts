import { duplicateExternalId, type ConversionOutcome } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import type { NewPacket } from '../domain/new-packet';
import { newDocument, type PacketDocument } from '../storage/packet-document';
import type { Earlier } from '../storage/packet-inserts';
import type { Parts } from './parts';

/** A packet whose key was used: the same bytes are the same packet, and an entry of a journal is what it was at first. */
function idOfEarlier(document: PacketDocument, taken: readonly Earlier[]): string {
  for (const key of document.keys ?? []) {
    const earlier = taken.find(({ keys }) => keys?.includes(key));
    if (!earlier) continue;
    if (key.startsWith('e:') || earlier.fingerprint === document.fingerprint) return earlier._id;
    throw new ServiceError(duplicateExternalId, { extra: { id: earlier._id } });
  }
  throw new ServiceError(duplicateExternalId);
}

/**
 * Stores a packet with the events that follow from it, and has it converted unless its outcome is known. A packet that was
 * delivered twice is stored once.
 * @returns the id under which it is kept: its own, or that of the one that came before it
 * @throws ServiceError 409 when its external id belongs to another packet; whatever the database throws when nothing is
 * known about the outcome.
 */
export async function storePacket(
  parts: Parts,
  packet: NewPacket,
  outcome?: ConversionOutcome,
): Promise<string> {
  const document = newDocument(packet, outcome, parts.now(), parts.sendAgainAfterMs);
  const inserted = await parts.packets.insert(document, packet.call);
  if (typeof inserted === 'object') return idOfEarlier(document, inserted.taken);
  if (inserted === 'stored') {
    parts.packetRelay.nudge([{ _id: document._id, items: document.outbox ?? [] }]);
    if (document.status === 'accepted') parts.orders.add(document);
  }
  return document._id;
}
