import { packetNotFound, type reprocessPacket as contract } from '@receipts/contracts';
import { newId, ServiceError, type Handler } from '@receipts/kernel';
import { commandItem, deadlineSignal, updateVersioned } from '@receipts/storage';
import { sendAgainAt } from '../domain/send-again';
import type { PacketDocument } from '../storage/packets';
import { convertCommandType } from './store-packets';
import type { Parts } from './parts';

const packetConverted = {
  status: 409,
  code: 'packet_converted',
  description: 'the packet has been converted already',
};

/** Gives one packet to conversion again. */
export function reprocessPacket(parts: Parts): Handler<typeof contract> {
  return async ({ params }, call) => {
    const packet = await parts.packets.find(call.retailer, params.id, call);
    if (!packet) throw new ServiceError(packetNotFound);
    const now = parts.now();
    const item = commandItem({ id: newId(now.getTime()), at: now, type: convertCommandType });
    const isOrdered = await updateVersioned<PacketDocument, boolean>({
      collection: parts.packets.collection,
      retailer: call.retailer,
      id: packet.id,
      signal: deadlineSignal(call),
      decide(current) {
        if (current.status === 'converted') throw new ServiceError(packetConverted);
        if (current.status === 'accepted') return { result: false };
        const again = sendAgainAt(now, 0, parts.sendAgainAfterMs);
        return {
          update: {
            $set: { status: 'accepted', updatedAt: now, sendAgainAt: again, sends: 0, errors: '[]' },
            $unset: { reason: '' },
            $inc: { attempts: 1 },
          },
          outbox: [item],
          result: true,
        };
      },
    });
    if (isOrdered) parts.packetRelay.nudge([{ _id: packet.id, items: [item] }]);
    return {};
  };
}
