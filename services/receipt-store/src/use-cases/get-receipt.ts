import { receiptDeletedError, receiptNotFound, type getReceipt as contract } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import { visibleConsumers } from '../domain/visible-consumers';
import type { Receipts } from '../storage/receipts';
import type { FailedPacket, HasArrived } from './pending-receipt';

export interface GetReceiptParts {
  readonly receipts: Receipts;
  readonly hasArrived: HasArrived;
}

/** Gives one receipt. One that was promised and has not come yet is pending. */
export function getReceipt({ receipts, hasArrived }: GetReceiptParts): Handler<typeof contract> {
  return async ({ params, query }, call) => {
    const { id } = params;
    const consumers = visibleConsumers(call.consumers, query.consumer);
    let found = await receipts.find(call.retailer, id, call);
    // Nobody knows yet whose receipt a pending one is, so a caller who is confined to consumers hears nothing of it.
    const failed = (packet: FailedPacket) => {
      throw new ServiceError(receiptNotFound, { extra: { packet } });
    };
    if (!found && !consumers && (await hasArrived({ id }, call, failed))) {
      found = await receipts.find(call.retailer, id, call);
    }
    // Nor does anybody know any more whose a deleted one was.
    if (found && 'deleted_at' in found) {
      throw new ServiceError(consumers ? receiptNotFound : receiptDeletedError);
    }
    if (!found || (consumers && !consumers.includes(found.identifier ?? ''))) {
      throw new ServiceError(receiptNotFound);
    }
    return { body: Buffer.from(found.text), meta: { version: found.version } };
  };
}
