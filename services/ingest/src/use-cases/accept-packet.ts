import { type acceptPacket as contract, readPacketFacts, unknownAttachment } from '@receipts/contracts';
import { ServiceError, type BatchHandler, type Item, type Reply } from '@receipts/kernel';
import type { Parts } from './parts';
import { storePackets, type NewPacket } from './store-packets';

type Accepted = Reply<typeof contract>;

/** A till that only waits for the broker was promised the id of the message; one that waits for us is told its id. */
function idOf(parts: Parts, { call }: Item<typeof contract>, isAwaited: boolean): string {
  if (!isAwaited || parts.allotter.isAllotted(call.id, call.retailer)) return call.id;
  return parts.allotter.allot(call.retailer, parts.now().getTime());
}

async function attachmentsExist(parts: Parts, packet: NewPacket): Promise<boolean> {
  const ids = new Set(packet.attachments.map(({ id }) => id));
  if (ids.size === 0) return true;
  const found = await parts.attachments.describe(packet.call.retailer, [...ids], packet.call);
  return found.length === ids.size;
}

function packetOfItem(parts: Parts, item: Item<typeof contract>): NewPacket {
  const { input, call } = item;
  const { metadata, properties, attachments } = readPacketFacts(input.query.free, input.headers.free);
  const isAwaited =
    metadata.external_id !== undefined || call.idempotencyKey !== undefined || attachments.length > 0;
  return {
    id: idOf(parts, item, isAwaited),
    call,
    bytes: input.body,
    contentType: input.contentType ?? null,
    metadata,
    properties,
    attachments,
  };
}

/** The packet of a request, or why it is refused: one that is wrong spoils no other of its batch. */
async function readItem(parts: Parts, item: Item<typeof contract>): Promise<NewPacket | ServiceError> {
  try {
    const packet = packetOfItem(parts, item);
    return (await attachmentsExist(parts, packet)) ? packet : new ServiceError(unknownAttachment);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** Keeps raw receipts and orders their conversion. */
export function acceptPacket(parts: Parts): BatchHandler<typeof contract> {
  return {
    async batch(items) {
      const read = await Promise.all(items.map((item) => readItem(parts, item)));
      const packets = read.filter((packet): packet is NewPacket => !(packet instanceof ServiceError));
      const stored = await storePackets(parts, packets);
      const outcomes = new Map(packets.map((packet, index) => [packet, stored[index]]));
      return read.map((packet): Accepted | ServiceError => {
        if (packet instanceof ServiceError) return packet;
        const outcome = outcomes.get(packet);
        if (outcome === undefined) throw new Error('a packet has no outcome');
        return outcome instanceof ServiceError ? outcome : { meta: outcome };
      });
    },
  };
}
