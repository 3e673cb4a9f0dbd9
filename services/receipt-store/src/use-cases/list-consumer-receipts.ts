import type { listConsumerReceipts as contract } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import type { ChangedReceipts } from '../storage/changed-receipts';

/** A page ends with the receipt that reaches this size, even if that is after only a few receipts. */
const pageCharactersMax = 1024 * 1024;

/** The receipts up to and including the one that reaches the size of a page. */
function fitting<T extends { readonly text: string }>(receipts: readonly T[]): readonly T[] {
  let characters = 0;
  const last = receipts.findIndex(({ text }) => (characters += text.length) >= pageCharactersMax);
  return last < 0 ? receipts : receipts.slice(0, last + 1);
}

/** A consumer's receipts, in their order of arrival. */
export function listConsumerReceipts(changed: ChangedReceipts): Handler<typeof contract> {
  return async ({ body: { identifier, after, count } }, call) => {
    const found = await changed.ofConsumer(call.retailer, identifier, after, count + 1, call);
    const page = fitting(found.slice(0, count));
    const next = found.length > page.length ? page.at(-1)?.arrival : null;
    const receipts = page.map(({ text }) => text).join(',');
    return { body: Buffer.from(`{"receipts":[${receipts}],"next":${next ?? null}}`) };
  };
}
