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

/** Keeps raw receipts and orders their conversion. */
export function acceptPacket(parts: Parts): BatchHandler<typeof contract> {
  return {
    async batch(items) {
      const packets = items.map((item) => packetOfItem(parts, item));
      const known = await Promise.all(packets.map((packet) => attachmentsExist(parts, packet)));
      const stored = await storePackets(
        parts,
        packets.filter((_, index) => known[index]),
      );
      return known.map((isKnown): Accepted | ServiceError => {
        if (!isKnown) return new ServiceError(unknownAttachment);
        const outcome = stored.shift();
        if (outcome === undefined) throw new Error('a packet has no outcome');
        return outcome instanceof ServiceError ? outcome : { meta: outcome };
      });
    },
  };
}
