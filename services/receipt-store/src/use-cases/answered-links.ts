import { linksTo, type ReceiptLinks, type Retailer, type LinkTokens } from '@receipts/contracts';
import type { Call } from '@receipts/kernel';

export interface AnsweredLinksParts {
  readonly tokens: LinkTokens;
  /** The public URL of the platform, without a trailing slash. */
  readonly publicUrl: string;
  readonly retailers: { get(id: string): Retailer | undefined };
}

/** The links in the response to a new receipt, if the retailer's settings request them. */
export type AnsweredLinks = (receiptId: string, call: Call) => ReceiptLinks | undefined;

export function answeredLinks({ tokens, publicUrl, retailers }: AnsweredLinksParts): AnsweredLinks {
  return (receiptId, { retailer }) => {
    if (!retailers.get(retailer)?.settings.response_links) return undefined;
    return linksTo(publicUrl, tokens.seal({ retailer, receiptId, generation: 0 }));
  };
}
