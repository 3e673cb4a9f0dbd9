import type { findReceiptWithAttachment as contract } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import type { Receipts } from '../storage/receipts';

/** Checks whether the caller may see a receipt with this attachment. */
export function findReceiptWithAttachment(receipts: Receipts): Handler<typeof contract> {
  return async ({ body }, call) => {
    const id = await receipts.findIdByAttachment(call.retailer, body.attachment_id, call.consumers, call);
    return { body: { receipt_id: id ?? null } };
  };
}
