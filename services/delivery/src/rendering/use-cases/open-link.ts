import {
  linkExpiryMs,
  linkNotFound,
  linksTo,
  processingPending,
  receiptNotFound,
  receiptStoreContracts,
  type ReceiptLinks,
  type Retailer,
  type ReturnedReceipt,
  type LinkTokens,
} from '@receipts/contracts';
import { delegatedCall, ServiceError, type Call } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { ModuleDependencies } from '../../module-dependencies';
import type { ReceiptLinkGenerations } from '../storage/receipt-links';

export interface LinkDependencies extends Pick<ModuleDependencies, 'ask' | 'retailer' | 'now'> {
  readonly tokens: LinkTokens;
  readonly generations: ReceiptLinkGenerations;
  /** The public URL of the platform, without a trailing slash. */
  readonly publicUrl: string;
}

export interface Opened {
  readonly receipt: ReturnedReceipt;
  readonly version: number;
  readonly retailer: Retailer;
  readonly links: ReceiptLinks;
}

/** A link whose receipt does not exist yet. */
export interface Waiting {
  readonly receipt: undefined;
  readonly retailer: Retailer;
  readonly links: ReceiptLinks;
}

type OpenDependencies = Omit<LinkDependencies, 'generations'> & {
  generations: Pick<ReceiptLinkGenerations, 'current'>;
};

const notThere: ReadonlySet<number> = new Set([receiptNotFound.status, processingPending.status]);

/** The receipt, or the error if there is none. */
async function receiptOrRefusal(receiptId: string, call: Call, { ask }: Pick<OpenDependencies, 'ask'>) {
  try {
    return await ask(receiptStoreContracts.getReceipt, { params: { id: receiptId }, query: {} }, call);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/**
 * Resolves a link. The caller has no credential, so the call continues on behalf of the link's retailer.
 * @throws ServiceError 404 `link_not_found`, even for a link that was revoked or has expired unused; 410
 * `receipt_deleted`
 */
export async function openLinkOrWait(
  token: string,
  call: Call,
  deps: OpenDependencies,
): Promise<Opened | Waiting> {
  const linked = deps.tokens.open(token);
  if (!linked) throw new ServiceError(linkNotFound);
  const { receiptId, generation } = linked;
  const ofRetailer = { ...call, retailer: linked.retailer };
  const nowMs = deps.now().getTime();
  const [found, current, retailer] = await Promise.all([
    receiptOrRefusal(receiptId, delegatedCall('delivery', ofRetailer, nowMs), deps),
    deps.generations.current(linked.retailer, receiptId, deadlineSignal(call)),
    deps.retailer(linked.retailer, ofRetailer),
  ]);
  if (generation !== current) throw new ServiceError(linkNotFound);
  const links = linksTo(deps.publicUrl, token);
  if (!(found instanceof ServiceError)) {
    return { receipt: found.body, version: found.meta.version, retailer, links };
  }
  if (!notThere.has(found.status)) throw found;
  if (linkExpiryMs(receiptId) <= nowMs) throw new ServiceError(linkNotFound);
  return { receipt: undefined, retailer, links };
}

/**
 * Like `openLinkOrWait`, for resources that exist only once the receipt exists.
 * @throws ServiceError 409 `processing_pending` before that
 */
export async function openLink(token: string, call: Call, deps: OpenDependencies): Promise<Opened> {
  const opened = await openLinkOrWait(token, call, deps);
  if (!opened.receipt) throw new ServiceError(processingPending);
  return opened;
}
