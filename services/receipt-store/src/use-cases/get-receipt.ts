import { receiptDeletedError, receiptNotFound, type getReceipt as contract } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import { withChecks } from '../domain/checks';
import { visibleConsumers } from '../domain/visible-consumers';
import type { Receipts } from '../storage/receipts';
import type { FailedPacket, HasArrived } from './pending-receipt';

export interface GetReceiptParts {
  readonly receipts: Receipts;
  readonly hasArrived: HasArrived;
}

/** Returns a receipt. An id that was allotted but has no receipt yet is pending. */
export function getReceipt({ receipts, hasArrived }: GetReceiptParts): Handler<typeof contract> {
  return async ({ params, query }, call) => {
    const { id } = params;
    const consumers = visibleConsumers(call.consumers, query.consumer);
    let found = await receipts.find(call.retailer, id, call);
    // The consumer of a pending receipt is not known yet, so callers confined to consumers get 404.
    const failed = (packet: FailedPacket) => {
      throw new ServiceError(receiptNotFound, { extra: { packet } });
    };
    if (!found && !consumers && (await hasArrived({ id }, call, failed))) {
      found = await receipts.find(call.retailer, id, call);
    }
    // The consumer of a deleted receipt is no longer known, so they get 404 for it, too.
    if (found && 'deleted_at' in found) {
      throw new ServiceError(consumers ? receiptNotFound : receiptDeletedError);
    }
    if (!found || (consumers && !consumers.includes(found.identifier ?? ''))) {
      throw new ServiceError(receiptNotFound);
    }
    const text = query.checks ? withChecks(found.text) : found.text;
    return { body: Buffer.from(text), meta: { version: found.version } };
  };
}
