import { packetNotFound, type getPacketRaw as contract } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import { safeContentType } from '../domain/attachment-facts';
import type { Parts } from './parts';

/** The bytes of a packet. */
export function getPacketRaw({ packets }: Parts): Handler<typeof contract> {
  return async ({ params }, call) => {
    const found = await packets.findBytes(call.retailer, params.id, call);
    if (!found) throw new ServiceError(packetNotFound);
    const { packet, bytes } = found;
    return {
      body: bytes,
      meta: { id: packet.id, contentType: safeContentType(packet.contentType ?? undefined) },
    };
  };
}
