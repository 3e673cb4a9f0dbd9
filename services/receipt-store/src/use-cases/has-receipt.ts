import type { hasReceipt as contract } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import type { Receipts } from '../storage/receipts';

/** Checks whether a receipt with this id was ever stored. */
export function hasReceipt(receipts: Pick<Receipts, 'find'>): Handler<typeof contract> {
  return async ({ body }, call) => {
    const found = await receipts.find(call.retailer, body.receipt_id, call);
    return { body: { exists: found !== undefined } };
  };
}
