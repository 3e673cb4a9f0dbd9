import type { findNeededRawData as contract } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import type { DiscardedRawData } from '../storage/discarded-raw-data';

/** Finds the receipts and attachments whose raw data must be kept. */
export function findNeededRawData(discarded: DiscardedRawData): Handler<typeof contract> {
  return async ({ body }, call) => {
    const [receipts, attachments] = await Promise.all([
      discarded.neededReceipts(call.retailer, body.receipts, call),
      discarded.neededAttachments(call.retailer, body.attachments, call),
    ]);
    return { body: { receipts, attachments } };
  };
}
