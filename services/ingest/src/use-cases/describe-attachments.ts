import type { describeAttachments as contract } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import type { Parts } from './parts';

/** Returns the names, types and sizes of attachments. */
export function describeAttachments({ attachments }: Parts): Handler<typeof contract> {
  return async ({ body }, call) => ({
    body: { attachments: await attachments.describe(call.retailer, body.ids, call) },
  });
}
