import type { listFailedPackets as contract } from '@receipts/contracts';
import { timestampOf, type Handler } from '@receipts/kernel';
import { failureGroups } from '../domain/failure-groups';
import { viewOf } from '../domain/packet-state';
import type { Dependencies } from './dependencies';

const scanMax = 10_000;
const countDefault = 20;

/** Lists failed packets of all retailers, for the operator. */
export function listFailedPackets({ failed }: Pick<Dependencies, 'failed'>): Handler<typeof contract> {
  return async ({ query }, call) => {
    const { count = countDefault, retailer, reason } = query;
    const which = { retailer, reason };
    const [failures, newest] = await Promise.all([
      failed.list(which, scanMax + 1, call),
      failed.newest(which, count, call),
    ]);
    const groups = failureGroups(failures.slice(0, scanMax)).map((group) => ({
      retailer: group.retailer,
      reason: group.reason,
      mapping: group.mapping,
      packets: group.packets,
      oldest_timestamp: timestampOf(group.oldest),
      newest_timestamp: timestampOf(group.newest),
      newest_packet: group.newestPacket,
    }));
    const shown = newest.map((packet) => ({ ...viewOf(packet), retailer: packet.retailer }));
    return { body: { groups, is_complete: failures.length <= scanMax, packets: shown } };
  };
}
