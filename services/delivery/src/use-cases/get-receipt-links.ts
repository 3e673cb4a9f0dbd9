import { linksTo, type deliveryContracts, type ReceiptLinks } from '@receipts/contracts';
import type { Handler, LinkTokens } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { readReceipt } from './find-receipt';
import type { LinkParts } from './open-link';

export interface LinkingParts extends Pick<LinkParts, 'tokens' | 'generations' | 'publicUrl'> {
  readonly unsubscribeTokens: LinkTokens;
}

/** Where a consumer says that they want no more receipts. It does not run out: mails are read years later. */
export function unsubscribeLink(
  { retailer, receiptId }: { retailer: string; receiptId: string },
  { unsubscribeTokens, publicUrl }: Pick<LinkingParts, 'unsubscribeTokens' | 'publicUrl'>,
): string {
  return `${publicUrl}/u/${unsubscribeTokens.seal({ retailer, receiptId, generation: 0 })}`;
}

/** The links of a receipt that are good now. */
export async function currentLinks(
  { retailer, receiptId }: { retailer: string; receiptId: string },
  { tokens, generations, publicUrl }: Pick<LinkParts, 'tokens' | 'generations' | 'publicUrl'>,
  signal: AbortSignal,
): Promise<ReceiptLinks> {
  const generation = await generations.current(retailer, receiptId, signal);
  return linksTo(publicUrl, tokens.seal({ retailer, receiptId, generation }));
}

/** The links that are good now, for whoever may read the receipt. */
export function getReceiptLinks(parts: LinkParts): Handler<(typeof deliveryContracts)['getReceiptLinks']> {
  return async ({ params: { id }, query: { consumer } }, call) => {
    await readReceipt({ id, consumer }, call, parts);
    const receipt = { retailer: call.retailer, receiptId: id };
    return { body: { _links: await currentLinks(receipt, parts, deadlineSignal(call)) } };
  };
}
