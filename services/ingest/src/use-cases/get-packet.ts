import { packetNotFound, type getPacket as contract } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import { viewOf } from '../domain/packet-state';
import { findPacket } from './find-packet';
import type { Dependencies } from './dependencies';

/** Returns the state of a packet. */
export function getPacket(deps: Dependencies): Handler<typeof contract> {
  return async ({ params }, call) => {
    const packet = await findPacket(deps, params.id, call, { outcome: true });
    if (!packet) throw new ServiceError(packetNotFound);
    return { body: viewOf(packet) };
  };
}
