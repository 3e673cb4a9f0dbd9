import type { findPacketState as contract } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { externalKey, linkKey } from '../storage/packet-document';
import type { Parts } from './parts';

/** The state of the packet of a promised receipt. */
export function findPacketState({ packets }: Parts): Handler<typeof contract> {
  return async ({ body }, call) => {
    const names =
      'receipt_id' in body
        ? [{ _id: body.receipt_id }, { keys: linkKey(body.receipt_id) }]
        : [{ keys: externalKey(body.external_id.toLowerCase()) }];
    const found = await packets.state(call.retailer, names, call);
    if (!found) return { body: { state: 'unknown' } };
    const { _id: id, status: state, reason } = found;
    return { body: { state, ...(state === 'failed' && reason && { failed: { id, reason } }) } };
  };
}
