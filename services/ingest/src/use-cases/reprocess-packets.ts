import type { reprocessPackets as contract } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { Parts } from './parts';

/**
 * Marks failed packets for conversion in one update; the sweeper sends them from there, as fast as conversion takes them.
 */
export function reprocessPackets({ packets, now }: Parts): Handler<typeof contract> {
  return async ({ body }, call) => {
    const { reason, mapping } = body ?? {};
    const at = now();
    const { modifiedCount: count } = await packets.collection.updateMany(
      {
        retailer: call.retailer,
        status: 'failed',
        ...(reason && { reason }),
        ...(mapping !== undefined && { 'mapping.id': mapping }),
      },
      {
        $set: { status: 'accepted', updatedAt: at, sendAgainAt: at, sends: 0, errors: '[]' },
        $unset: { reason: '' },
        $inc: { attempts: 1, version: 1 },
      },
      { signal: deadlineSignal(call) },
    );
    return { body: { count } };
  };
}
