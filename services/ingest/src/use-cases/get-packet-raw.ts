import { packetDeleted, packetNotFound, type getPacketRaw as contract } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import { safeContentType } from '../domain/attachment-facts';
import { findPacket } from './find-packet';
import type { Parts } from './parts';

/** Returns the content of a packet. */
export function getPacketRaw(parts: Parts): Handler<typeof contract> {
  return async ({ params }, call) => {
    const packet = await findPacket(parts, params.id, call);
    const body = packet && (await parts.packets.findBytes(call.retailer, packet.id, call));
    if (!packet || !body) throw new ServiceError(packetNotFound);
    if (!Buffer.isBuffer(body)) throw new ServiceError(packetDeleted);
    return { body, meta: { id: packet.id, contentType: safeContentType(packet.contentType ?? undefined) } };
  };
}
