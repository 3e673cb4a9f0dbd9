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

/** Under which id a packet is kept: its own, or that of the one that came before it. */
export interface Kept {
  readonly id: string;
  /** True for a request that was answered before, under its idempotency key. */
  readonly replayed?: boolean;
}

/** Others change what stands in the way at the same time. */
const attemptsMax = 5;

const earlierWith = (taken: readonly Earlier[], key: string) => taken.find(({ keys }) => keys?.includes(key));

/** A packet whose key was used: the same bytes are the same packet, and an entry of a journal is what it was at first. */
function sameAs({ keys = [], fingerprint }: Claims, taken: readonly Earlier[]): Earlier {
  for (const key of keys) {
    const earlier = earlierWith(taken, key);
    if (!earlier) continue;
    if (key.startsWith('e:') || earlier.fingerprint === fingerprint) return earlier;
    throw new ServiceError(duplicateExternalId, { extra: { id: earlier._id } });
  }
  throw new ServiceError(duplicateExternalId);
}

/** Undefined when nothing stands in its way any more, or something else does. */
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
    // The message that made it may be delivered again, and that is no repetition of the caller's.
    if (kept && isRepetition(request, kept)) return { id: asked._id, replayed: asked._id !== claims._id };
    await packets.releaseRequest(asked, request, call);
    return undefined;
  }
  const same = sameAs(claims, taken);
  return !request || (await packets.addRequest(same, request, call)) ? { id: same._id } : undefined;
}

/**
 * Where a packet brings something along that is kept before it: looks whether it came before.
 * @throws ServiceError as `storePacket`
 */
export async function findRepetition(parts: Parts, packet: NewPacket): Promise<Kept | undefined> {
  const claims = claimsOf(packet);
  const taken = await parts.packets.findEarlier(claims, packet.call);
  return taken.length > 0 ? keptBefore(parts, claims, taken, packet.call) : undefined;
}

function follow({ packetArrivals, packetRelay, orders }: Parts, stored: PacketDocument & LanePlace): void {
  const { raw: _, outbox = [], ...packet } = stored;
  packetArrivals.nudge([{ lane: stored.lane, number: stored.number, packet }]);
  if (outbox.length > 0) packetRelay.nudge([{ _id: stored._id, items: outbox }]);
  if (stored.status === 'accepted') orders.add(stored);
}

/**
 * Stores a packet with the events that follow from it, and has it converted unless its outcome is known. A packet that was
 * delivered twice is stored once.
 * @throws ServiceError 409 when its external id belongs to another packet, or its idempotency key to another request; whatever
 * the database throws when nothing is known about the outcome.
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
