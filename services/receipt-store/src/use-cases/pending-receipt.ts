import { ingestContracts, processingPending, type FailureReason } from '@receipts/contracts';
import { delegatedCall, ServiceError, type Call, type IdAllotter } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';

export interface PendingReceiptParts {
  readonly ids: IdAllotter;
  readonly ask: Broker['ask'];
  readonly now: () => Date;
}

/** The id by which the request refers to the receipt. */
export type SoughtBy = { readonly id: string } | { readonly external_id: string };

/** The failed packet of a receipt, as shown in the error. */
export interface FailedPacket {
  readonly id: string;
  readonly status: 'failed';
  readonly reason: FailureReason;
  readonly href: string;
}

/**
 * Queries ingest about a receipt that was not found.
 * @param onFailed called if the packet failed and the receipt will never exist
 * @returns true if the receipt has arrived in the meantime, false if it does not exist
 */
export type HasArrived = (
  soughtBy: SoughtBy,
  call: Call,
  onFailed?: (packet: FailedPacket) => void,
) => Promise<boolean>;

/**
 * Distinguishes a receipt whose id was assigned but which is not stored yet from one that does not exist.
 * @throws ServiceError 409 `processing_pending` (from the returned function)
 */
export function pendingReceipt({ ids, ask, now }: PendingReceiptParts): HasArrived {
  return async (soughtBy, call, onFailed) => {
    const isById = 'id' in soughtBy;
    if (isById && !ids.isAllotted(soughtBy.id, call.retailer)) return false;
    const body = isById ? { receipt_id: soughtBy.id } : { external_id: soughtBy.external_id };
    const inner = delegatedCall('receipt-store', call, now().getTime());
    const { state, failed } = (await ask(ingestContracts.findPacketState, { body }, inner)).body;
    // Ingest may not know an assigned id yet. It knows external ids before the caller gets a response.
    const isOnItsWay = state === 'accepted' || (state === 'unknown' && isById);
    if (isOnItsWay) throw new ServiceError(processingPending);
    if (failed) onFailed?.({ ...failed, status: 'failed', href: `/pos/packets/${failed.id}` });
    return state === 'converted';
  };
}
