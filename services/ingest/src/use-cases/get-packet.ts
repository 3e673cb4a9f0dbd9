import { packetNotFound, type getPacket as contract } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import { viewOf } from '../domain/packet-state';
import { findPacket } from './find-packet';
import type { Parts } from './parts';

/** Returns the state of a packet. */
export function getPacket(parts: Parts): Handler<typeof contract> {
  return async ({ params }, call) => {
    const packet = await findPacket(parts, params.id, call, { outcome: true });
    if (!packet) throw new ServiceError(packetNotFound);
    return { body: viewOf(packet) };
  };
}
