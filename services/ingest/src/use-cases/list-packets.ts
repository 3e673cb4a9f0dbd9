import { listPage, unknownCursorIn, type listPackets as contract } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { viewOf } from '../domain/packet-state';
import type { Parts } from './parts';

/** Lists packets, newest first. */
export function listPackets({ packets }: Parts): Handler<typeof contract> {
  return async ({ query }, call) => {
    const { count, status, reason, older } = query;
    if (older !== undefined && !(await packets.state(call.retailer, [{ _id: older }], call))) {
      throw unknownCursorIn('older');
    }
    const found = await packets.list(call.retailer, { status, reason, older, count: count + 1 }, call);
    const { entries, links } = listPage(found, count, '/pos/packets', ({ id }) => id, { status, reason });
    return { body: { packets: entries.map(viewOf), _links: links } };
  };
}
