import type { listConsumerReceipts as contract } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import type { ChangedReceipts } from '../storage/changed-receipts';

/** A consumer's receipts, in their order of arrival. */
export function listConsumerReceipts(changed: ChangedReceipts): Handler<typeof contract> {
  return async ({ body: { identifier, after, count } }, call) => {
    const found = await changed.ofConsumer(call.retailer, identifier, after, count + 1, call);
    const page = found.slice(0, count);
    const next = found.length > count ? page.at(-1)?.seq : null;
    const receipts = page.map(({ text }) => text).join(',');
    return { body: Buffer.from(`{"receipts":[${receipts}],"next":${next ?? null}}`) };
  };
}
