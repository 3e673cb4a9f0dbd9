import type { reprocessPackets as contract } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import type { Dependencies } from './dependencies';

/** Marks failed packets for conversion in one update; the sweep requests it at the rate that transform can handle. */
export function reprocessPackets({ packets, now }: Dependencies): Handler<typeof contract> {
  return async ({ body }, call) => {
    const reprocessing = { by: call.id, now: now(), timeLimit: call };
    return { body: { count: await packets.reprocessAll(call.retailer, body ?? {}, reprocessing) } };
  };
}
