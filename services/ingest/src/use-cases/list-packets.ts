import { listPage, unknownCursorIn, type listPackets as contract } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { viewOf } from '../domain/packet-state';
import type { Dependencies } from './dependencies';

/** Lists packets, newest first. */
export function listPackets({ packets }: Dependencies): Handler<typeof contract> {
  return async ({ query }, call) => {
    const { count, status, reason, older } = query;
    if (older !== undefined) {
      const known = await packets.states(call.retailer, [{ _id: older }], deadlineSignal(call));
      if (known.length === 0) throw unknownCursorIn('older');
    }
    const found = await packets.list(call.retailer, { status, reason, older, count: count + 1 }, call);
    const { entries, links } = listPage(found, count, '/pos/packets', ({ id }) => id, { status, reason });
    return { body: { packets: entries.map(viewOf), _links: links } };
  };
}
