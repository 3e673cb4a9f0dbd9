import type { findPacketState as contract } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import type { Parts } from './parts';

/** How far a promised receipt is. */
export function findPacketState({ packets }: Parts): Handler<typeof contract> {
  return async ({ body }, call) => ({
    body: { state: await packets.state(call.retailer, body.receipt_id, call) },
  });
}
