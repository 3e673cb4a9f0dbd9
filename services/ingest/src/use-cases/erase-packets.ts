import type { erasePackets as contract } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { deleteRawData } from './delete-raw-data';
import type { Dependencies } from './dependencies';

const packetsAtOnce = 50;

/** Removes an erased consumer from the packets that were posted with the consumer's identifier. */
export function erasePackets(deps: Dependencies): Handler<typeof contract> {
  const { packetDeletions } = deps;
  return async ({ body: { identifier } }, call) => {
    for (;;) {
      const packets = await packetDeletions.ofConsumer(call.retailer, identifier, packetsAtOnce, call);
      if (packets.length === 0) break;
      const isErased = await deleteRawData(deps, { packets, attachments: [] }, call, (packet) =>
        packetDeletions.removeIdentifier(packet),
      );
      if (!isErased) return { body: { is_complete: false } };
    }
    const isConverting = await packetDeletions.isConverting(call.retailer, identifier, call);
    return { body: { is_complete: !isConverting } };
  };
}
