import type { describeAttachments as contract } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import type { Dependencies } from './dependencies';

/** Returns the names, types and sizes of attachments. */
export function describeAttachments({ attachments }: Dependencies): Handler<typeof contract> {
  return async ({ body }, call) => ({
    body: { attachments: await attachments.describe(call.retailer, body.ids, call) },
  });
}
