import { packetDeleted, packetNotFound, type reprocessPacket as contract } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import { findPacket } from './find-packet';
import type { Dependencies } from './dependencies';
import { tryToRequestConversion } from './request-conversion';

const packetConverted = {
  status: 409,
  code: 'packet_converted',
  description: 'the packet has already been converted',
};

/** Converts one failed packet again. */
export function reprocessPacket(deps: Dependencies): Handler<typeof contract> {
  const { packets, now, conversionRetryMs: firstWaitMs } = deps;
  return async ({ params }, call) => {
    const packet = await findPacket(deps, params.id, call);
    if (!packet) throw new ServiceError(packetNotFound);
    const isReprocessed = await packets.reprocess(
      call.retailer,
      packet.id,
      ({ status, deletedAt }) => {
        if (deletedAt) throw new ServiceError({ ...packetDeleted, status: 422 });
        if (status === 'converted') throw new ServiceError(packetConverted);
        return status === 'failed';
      },
      { by: call.id, now: now(), firstWaitMs, timeLimit: call },
    );
    const document = isReprocessed ? await packets.findWhole(packet.id) : null;
    if (document) await tryToRequestConversion(deps, document);
    return {};
  };
}
