import { duplicateExternalId, linkTaken } from '@receipts/contracts';
import { ServiceError, unavailable, type Call } from '@receipts/kernel';
import { deadlineSignal, isRepetition } from '@receipts/storage';
import type { NewPacket } from '../domain/new-packet';
import {
  linkKey,
  newDocument,
  packetKeysOf,
  requestKeyName,
  type PacketKeys,
} from '../storage/packet-document';
import type { Dependencies } from './dependencies';
import { tryToRequestConversion } from './request-conversion';

export interface StoreOutcome {
  /** The id of the first receipt of the packet, or of an equal earlier packet. */
  readonly id: string;
  /** True for a request that was answered before with the same idempotency key. */
  readonly replayed?: boolean;
  /** For a new packet: resolves when its conversion has been requested, or when that is left to the sweep. */
  readonly requested?: Promise<void>;
}

export function linkTakenBy(id: string): ServiceError {
  return new ServiceError(linkTaken, { extra: { id }, headers: { location: `/receipts/${id}` } });
}

/** Conflicting packets may be changed by other requests at the same time, so the decision is repeated. */
const attemptsMax = 5;

const receiptIdOf = ({ _id, receiptId = _id }: Pick<PacketKeys, '_id' | 'receiptId'>) => receiptId;

const ownerOfKey = (taken: readonly PacketKeys[], key: string) =>
  taken.find(({ keys }) => keys?.includes(key));

/**
 * Finds the earlier packet that a taken key refers to: it must have the same content, except for a journal entry, whose
 * first packet always counts. Undefined if another request has released the key in the meantime.
 */
function findSame(
  { receiptId = '', keys = [], fingerprint }: PacketKeys,
  taken: readonly PacketKeys[],
): PacketKeys | undefined {
  for (const key of keys) {
    const earlier = ownerOfKey(taken, key);
    if (!earlier) continue;
    if (key === linkKey(receiptId)) throw linkTakenBy(receiptId);
    if (key.startsWith('e:') || earlier.fingerprint === fingerprint) return earlier;
    throw new ServiceError(duplicateExternalId, { extra: { id: earlier._id } });
  }
  return undefined;
}

/** A failed packet that shares only its link with this packet. */
function failedWithLink(packetKeys: PacketKeys, taken: readonly PacketKeys[]): PacketKeys | undefined {
  const key = packetKeys.keys?.find((each) => ownerOfKey(taken, each));
  if (key !== linkKey(receiptIdOf(packetKeys))) return undefined;
  const owner = ownerOfKey(taken, key);
  return owner?.status === 'failed' ? owner : undefined;
}

/** Undefined if there is no conflict any more, or a different conflict. */
async function resolveConflict(
  { packets }: Pick<Dependencies, 'packets'>,
  packetKeys: PacketKeys,
  taken: readonly PacketKeys[],
  call: Call,
): Promise<StoreOutcome | undefined> {
  const [request] = packetKeys.requests ?? [];
  const keyOwner = request && ownerOfKey(taken, requestKeyName(request));
  if (request && keyOwner) {
    const kept = keyOwner.requests?.find(({ key }) => key === request.key);
    // If the ids are the same, the broker redelivered the message; this is not a retry by the caller.
    if (kept && isRepetition(request, kept))
      return { id: receiptIdOf(keyOwner), replayed: keyOwner._id !== packetKeys._id };
    if (kept) await packets.releaseRequest(keyOwner, kept, call);
    return undefined;
  }
  // The broker has redelivered the message.
  if (taken.some(({ _id }) => _id === packetKeys._id)) return { id: receiptIdOf(packetKeys) };
  const failed = failedWithLink(packetKeys, taken);
  if (failed) {
    await packets.releaseLink(failed, receiptIdOf(packetKeys), call);
    return undefined;
  }
  const same = findSame(packetKeys, taken);
  if (!same) return undefined;
  const isAnswered = !request || (await packets.addRequest(same, request, call));
  return isAnswered ? { id: receiptIdOf(same) } : undefined;
}

/**
 * For packets with attachments, which are stored before the packet: checks whether the packet was stored before.
 * @throws ServiceError as in `storePacket`
 */
export async function findRepetition(
  deps: Dependencies,
  packet: NewPacket,
): Promise<StoreOutcome | undefined> {
  const packetKeys = packetKeysOf(packet);
  if (!packetKeys.keys) return undefined;
  const taken = await deps.packetInserts.findEarlier([packetKeys], deadlineSignal(packet.call));
  return taken.length > 0 ? resolveConflict(deps, packetKeys, taken, packet.call) : undefined;
}

/**
 * Stores a packet, publishes its first event, and requests its conversion. A redelivered packet is stored once; if its
 * conversion was not requested, the sweep does so.
 * @throws ServiceError 409 if its external id belongs to another packet, or its idempotency key to another request; the
 * database's error if the outcome is unknown.
 */
export async function storePacket(deps: Dependencies, packet: NewPacket): Promise<StoreOutcome> {
  const document = newDocument(packet, deps.now(), deps.conversionRetryMs);
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const inserted = await deps.packetInserts.insert(document, packet.call);
    if (inserted === 'again') return { id: receiptIdOf(document) };
    if ('isPublished' in inserted) {
      const requested = tryToRequestConversion(deps, document, inserted.isPublished);
      return { id: receiptIdOf(document), requested };
    }
    const kept = await resolveConflict(deps, document, inserted.taken, packet.call);
    if (kept) return kept;
  }
  throw new ServiceError(unavailable, { internal: 'its keys were taken and released repeatedly' });
}
