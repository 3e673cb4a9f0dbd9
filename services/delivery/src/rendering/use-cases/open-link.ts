import {
  linkNotFound,
  linksTo,
  receiptStoreContracts,
  type ReceiptLinks,
  type Retailer,
  type ReturnedReceipt,
  type LinkTokens,
} from '@receipts/contracts';
import { delegatedCall, ServiceError, type Call } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import { deadlineSignal } from '@receipts/storage';
import type { ReceiptLinkGenerations } from '../storage/receipt-links';

export interface LinkParts {
  readonly tokens: LinkTokens;
  readonly generations: ReceiptLinkGenerations;
  /** The public URL of the platform, without a slash at the end. */
  readonly publicUrl: string;
  readonly ask: Broker['ask'];
  readonly retailer: (id: string, call: Call) => Promise<Retailer>;
  readonly now: () => Date;
}

export interface Opened {
  readonly receipt: ReturnedReceipt;
  readonly version: number;
  readonly retailer: Retailer;
  readonly links: ReceiptLinks;
}

const gone: ReadonlySet<number> = new Set([404, 410]);

/**
 * Resolves a link. The caller has no credential, so the call continues on behalf of the link's retailer.
 * @throws ServiceError 404 `link_not_found`, also when the receipt was deleted, as links must not reveal that it existed
 */
export async function openLink(
  token: string,
  call: Call,
  parts: Omit<LinkParts, 'generations'> & { generations: Pick<ReceiptLinkGenerations, 'current'> },
): Promise<Opened> {
  const linked = parts.tokens.open(token);
  if (!linked) throw new ServiceError(linkNotFound);
  const { receiptId, generation } = linked;
  const ofRetailer = { ...call, retailer: linked.retailer };
  const inner = delegatedCall('delivery', ofRetailer, parts.now().getTime());
  const asked = parts.ask(receiptStoreContracts.getReceipt, { params: { id: receiptId }, query: {} }, inner);
  try {
    const [{ body, meta }, current, retailer] = await Promise.all([
      asked,
      parts.generations.current(linked.retailer, receiptId, deadlineSignal(call)),
      parts.retailer(linked.retailer, ofRetailer),
    ]);
    if (generation !== current) throw new ServiceError(linkNotFound);
    return { receipt: body, version: meta.version, retailer, links: linksTo(parts.publicUrl, token) };
  } catch (error) {
    if (error instanceof ServiceError && gone.has(error.status)) throw new ServiceError(linkNotFound);
    throw error;
  }
}
