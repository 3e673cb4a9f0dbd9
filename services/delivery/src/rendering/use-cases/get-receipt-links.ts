import { linksTo, type ReceiptLinks, type LinkTokens } from '@receipts/contracts';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf } from '../../handler-of';
import { readReceipt } from '../../read-receipt';
import type { LinkDependencies } from './open-link';

export interface LinkingDependencies extends Pick<LinkDependencies, 'tokens' | 'generations' | 'publicUrl'> {
  readonly unsubscribeTokens: LinkTokens;
}

/**
 * The URL for unsubscribing. It does not expire, because e-mails may be read years later. It contains the recipient of the
 * e-mail instead of the receipt, which may be deleted or become another consumer's.
 */
export function unsubscribeLink(
  { retailer, recipientId }: { retailer: string; recipientId: string },
  { unsubscribeTokens, publicUrl }: Pick<LinkingDependencies, 'unsubscribeTokens' | 'publicUrl'>,
): string {
  return `${publicUrl}/u/${unsubscribeTokens.seal({ retailer, receiptId: recipientId, generation: 0 })}`;
}

/** The valid links of a receipt. */
export async function currentLinks(
  { retailer, receiptId }: { retailer: string; receiptId: string },
  { tokens, generations, publicUrl }: Pick<LinkDependencies, 'tokens' | 'generations' | 'publicUrl'>,
  signal: AbortSignal,
): Promise<ReceiptLinks> {
  const generation = await generations.current(retailer, receiptId, signal);
  return linksTo(publicUrl, tokens.seal({ retailer, receiptId, generation }));
}

/** Returns the valid links to callers who may read the receipt. */
export function getReceiptLinks(deps: LinkDependencies): HandlerOf<'getReceiptLinks'> {
  return async ({ params: { id }, query: { consumer } }, call) => {
    await readReceipt({ id, consumer }, call, deps);
    const receipt = { retailer: call.retailer, receiptId: id };
    return { body: { _links: await currentLinks(receipt, deps, deadlineSignal(call)) } };
  };
}
