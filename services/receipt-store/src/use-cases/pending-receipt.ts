import { ingestContracts, processingPending, type FailureReason } from '@receipts/contracts';
import { delegatedCall, ServiceError, type Call, type IdAllotter } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';

export interface PendingReceiptDependencies {
  readonly ids: IdAllotter;
  readonly ask: Broker['ask'];
  readonly now: () => Date;
}

/** The id by which the request refers to the receipt. */
export type SoughtBy = { readonly id: string } | { readonly external_id: string };

/** A packet that will never have the receipt, as shown in the error: it failed, or it contains no receipt. */
export type PacketWithoutReceipt = { readonly id: string; readonly href: string } & (
  | { readonly status: 'failed'; readonly reason: FailureReason }
  | { readonly status: 'converted' }
);

/**
 * Queries ingest about a receipt that was not found.
 * @param onNone called if the packet has no receipt, so that the receipt will never exist
 * @returns true if the receipt has arrived in the meantime, false if it does not exist
 */
export type HasArrived = (
  soughtBy: SoughtBy,
  call: Call,
  onNone?: (packet: PacketWithoutReceipt) => void,
) => Promise<boolean>;

const hrefOf = (id: string): string => `/pos/packets/${id}`;

/**
 * Distinguishes a receipt whose id was assigned but which is not stored yet from one that does not exist.
 * @throws ServiceError 409 `processing_pending` (from the returned function)
 */
export function pendingReceipt({ ids, ask, now }: PendingReceiptDependencies): HasArrived {
  return async (soughtBy, call, onNone) => {
    const isById = 'id' in soughtBy;
    if (isById && !ids.isAllotted(soughtBy.id, call.retailer)) return false;
    const body = isById ? { receipt_id: soughtBy.id } : { external_id: soughtBy.external_id };
    const inner = delegatedCall('receipt-store', call, now().getTime());
    const { state, failed, empty } = (await ask(ingestContracts.findPacketState, { body }, inner)).body;
    // Ingest may not know an assigned id yet. It knows external ids before the caller gets a response.
    const isOnItsWay = state === 'accepted' || (state === 'unknown' && isById);
    if (isOnItsWay) throw new ServiceError(processingPending);
    if (failed) onNone?.({ ...failed, status: 'failed', href: hrefOf(failed.id) });
    if (empty) onNone?.({ ...empty, status: 'converted', href: hrefOf(empty.id) });
    return state === 'converted' && !empty;
  };
}
