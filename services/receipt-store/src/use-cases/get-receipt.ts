import {
  receiptDeletedError,
  receiptNotFound,
  type getReceipt as contract,
  type getReceiptFile as fileContract,
} from '@receipts/contracts';
import { ServiceError, type Call, type Handler } from '@receipts/kernel';
import { withChecks } from '../domain/checks';
import { isVisible } from '../domain/visible-receipts';
import type { FoundReceipt } from '../storage/receipts-by-id';
import type { PacketWithoutReceipt } from './pending-receipt';
import type { Dependencies } from './dependencies';
import { takeAlong } from './take-along';
import { visibleTo } from './visible-to';

const packetWithoutReceipt =
  'receipt not found: the raw receipt was converted, but contains no receipt, only a kitchen ticket, a card slip or nothing that is printed';

/**
 * A receipt that the caller may see. An id that was assigned but has no receipt yet is pending.
 * @throws ServiceError 404 `receipt_not_found`, 409 `processing_pending`, 410 `receipt_deleted`
 */
export async function readableReceipt(
  deps: Dependencies,
  id: string,
  asked: readonly string[] | undefined,
  call: Call,
): Promise<FoundReceipt> {
  const { receipts, hasArrived } = deps;
  const visible = visibleTo(deps, call, { consumers: asked });
  const isConfined = visible.consumers !== undefined || visible.storeKeys !== undefined;
  let found = await receipts.find(call.retailer, id, call);
  // The consumer and the store of a pending receipt are not known yet, so restricted callers get 404.
  const none = (packet: PacketWithoutReceipt) => {
    const options = packet.status === 'converted' ? { description: packetWithoutReceipt } : {};
    throw new ServiceError(receiptNotFound, { ...options, extra: { packet } });
  };
  if (!found && !isConfined && (await hasArrived({ id }, call, none))) {
    found = await receipts.find(call.retailer, id, call);
  }
  // Those of a deleted receipt are no longer known, so restricted callers also get 404 for it.
  if (found && 'deleted_at' in found) {
    throw new ServiceError(isConfined ? receiptNotFound : receiptDeletedError);
  }
  if (!found || !isVisible(found, visible)) throw new ServiceError(receiptNotFound);
  return found;
}

/** Returns a receipt, or one of the formats in which its consumer can take it along. */
export function getReceipt(deps: Dependencies): Handler<typeof contract> {
  return async ({ params, query }, call) => {
    const { text, version } = await readableReceipt(deps, params.id, query.consumer, call);
    if (query.format !== undefined) {
      const { body, ...file } = await takeAlong(deps, text, query.format, call);
      return { body, meta: { version, ...file } };
    }
    return {
      body: query.checks === true ? Buffer.from(withChecks(text.toString())) : text,
      meta: { version },
    };
  };
}

/** Returns a receipt as a file, for its link. */
export function getReceiptFile(deps: Dependencies): Handler<typeof fileContract> {
  return async ({ params, body: { format } }, call) => {
    const { text } = await readableReceipt(deps, params.id, undefined, call);
    const { body, ...meta } = await takeAlong(deps, text, format, call);
    return { body, meta };
  };
}
