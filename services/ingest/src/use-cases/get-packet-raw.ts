import { packetDeleted, packetNotFound, type getPacketRaw as contract } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import { safeContentType } from '../domain/attachment-facts';
import { findPacket } from './find-packet';
import type { Dependencies } from './dependencies';

/** Returns the content of a packet. */
export function getPacketRaw(deps: Dependencies): Handler<typeof contract> {
  return async ({ params }, call) => {
    const packet = await findPacket(deps, params.id, call);
    const body = packet && (await deps.packets.findBytes(call.retailer, packet.id, call));
    if (!packet || !body) throw new ServiceError(packetNotFound);
    if (!Buffer.isBuffer(body)) throw new ServiceError(packetDeleted);
    return { body, meta: { id: packet.id, contentType: safeContentType(packet.contentType ?? undefined) } };
  };
}
