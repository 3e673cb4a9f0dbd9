import { duplicateExternalId, type ConversionOutcome } from '@receipts/contracts';
import { ServiceError, unavailable, type Call } from '@receipts/kernel';
import { isRepetition } from '@receipts/storage';
import type { NewPacket } from '../domain/new-packet';
import type { LanePlace } from '../storage/lanes';
import {
  claimsOf,
  newDocument,
  requestKeyName,
  type Claims,
  type PacketDocument,
} from '../storage/packet-document';
import type { Earlier } from '../storage/packet-inserts';
import type { Parts } from './parts';

/** The id under which a packet is stored: its own, or that of an equal earlier one. */
export interface Kept {
  readonly id: string;
  /** True for a request that was answered before with the same idempotency key. */
  readonly replayed?: boolean;
}

/** Conflicting packets may be changed by other requests at the same time, so the decision is repeated. */
const attemptsMax = 5;

const earlierWith = (taken: readonly Earlier[], key: string) => taken.find(({ keys }) => keys?.includes(key));

/**
 * Finds the earlier packet that a taken key stands for: it must have the same content, except for entries of a journal,
 * of which the first one always counts.
 */
function sameAs({ keys = [], fingerprint }: Claims, taken: readonly Earlier[]): Earlier {
  for (const key of keys) {
    const earlier = earlierWith(taken, key);
    if (!earlier) continue;
    if (key.startsWith('e:') || earlier.fingerprint === fingerprint) return earlier;
    throw new ServiceError(duplicateExternalId, { extra: { id: earlier._id } });
  }
  throw new ServiceError(duplicateExternalId);
}

/** Undefined when there is no conflict any more, or a different one. */
async function keptBefore(
  { packets }: Pick<Parts, 'packets'>,
  claims: Claims,
  taken: readonly Earlier[],
  call: Call,
): Promise<Kept | undefined> {
  const [request] = claims.requests ?? [];
  const asked = request && earlierWith(taken, requestKeyName(request));
  if (request && asked) {
    const kept = asked.requests?.find(({ key }) => key === request.key);
    // If the ids are the same, the broker redelivered the message; that is no repetition by the caller.
    if (kept && isRepetition(request, kept)) return { id: asked._id, replayed: asked._id !== claims._id };
    await packets.releaseRequest(asked, request, call);
    return undefined;
  }
  const same = sameAs(claims, taken);
  return !request || (await packets.addRequest(same, request, call)) ? { id: same._id } : undefined;
}

/**
 * For packets with attachments, which are stored before the packet: checks whether the packet was stored before.
 * @throws ServiceError as `storePacket`
 */
export async function findRepetition(parts: Parts, packet: NewPacket): Promise<Kept | undefined> {
  const claims = claimsOf(packet);
  const taken = await parts.packets.findEarlier(claims, packet.call);
  return taken.length > 0 ? keptBefore(parts, claims, taken, packet.call) : undefined;
}

function follow({ packetArrivals, packetRelay, orders }: Parts, stored: PacketDocument & LanePlace): void {
  const { raw: _, outbox = [], ...packet } = stored;
  packetArrivals.enqueue([{ lane: stored.lane, number: stored.number, packet }]);
  if (outbox.length > 0) packetRelay.enqueue([{ _id: stored._id, items: outbox }]);
  if (stored.status === 'accepted') orders.add(stored);
}

/**
 * Stores a packet with its events, and requests its conversion unless its outcome is known. A redelivered packet is
 * stored once.
 * @throws ServiceError 409 when its external id belongs to another packet, or its idempotency key to another request; the
 * database's error when the outcome is unknown.
 */
export async function storePacket(
  parts: Parts,
  packet: NewPacket,
  outcome?: ConversionOutcome,
): Promise<Kept> {
  const document = newDocument(packet, outcome, parts.now(), parts.sendAgainAfterMs);
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const inserted = await parts.packets.insert(document, packet.call);
    if (inserted === 'again') return { id: document._id };
    if ('stored' in inserted) {
      follow(parts, inserted.stored);
      return { id: document._id };
    }
    const kept = await keptBefore(parts, document, inserted.taken, packet.call);
    if (kept) return kept;
  }
  throw new ServiceError(unavailable, { internal: 'its keys were taken and released all the time' });
}
