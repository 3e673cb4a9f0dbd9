import { linksTo, type ReceiptLinks } from '@receipts/contracts';
import type { Call } from '@receipts/kernel';
import type { Dependencies } from './dependencies';

/** The links in the response to a new receipt, if the retailer's settings request them. */
export function answeredLinks(
  { tokens, publicUrl, retailers }: Dependencies,
  receiptId: string,
  { retailer }: Call,
): ReceiptLinks | undefined {
  if (!retailers.get(retailer)?.settings.response_links) return undefined;
  return linksTo(publicUrl, tokens.seal({ retailer, receiptId, generation: 0 }));
}
