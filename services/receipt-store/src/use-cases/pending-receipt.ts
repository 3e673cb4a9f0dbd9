import { ingestContracts, processingPending, type FailureReason } from '@receipts/contracts';
import { innerCall, ServiceError, type Call, type IdAllotter } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';

export interface PendingReceiptParts {
  readonly ids: IdAllotter;
  readonly ask: Broker['ask'];
  readonly now: () => Date;
}

/** What a receipt was sought by. */
export type SoughtBy = { readonly id: string } | { readonly external_id: string };

/** The packet that was to become a receipt and could not, as the error of a receipt that is sought shows it. */
export interface FailedPacket {
  readonly id: string;
  readonly status: 'failed';
  readonly reason: FailureReason;
  readonly href: string;
}

/**
 * Asks what became of a receipt that was not found.
 * @param onFailed is told why it never will be there
 * @returns true when it has arrived meanwhile, false when it never was or never will be
 */
export type HasArrived = (
  soughtBy: SoughtBy,
  call: Call,
  onFailed?: (packet: FailedPacket) => void,
) => Promise<boolean>;

/**
 * Tells a receipt that was promised and has not come yet from one that nobody has heard of.
 * @throws ServiceError 409 `processing_pending` (from the function that it gives)
 */
export function pendingReceipt({ ids, ask, now }: PendingReceiptParts): HasArrived {
  return async (soughtBy, call, onFailed) => {
    const isById = 'id' in soughtBy;
    if (isById && !ids.isAllotted(soughtBy.id, call.retailer)) return false;
    const body = isById ? { receipt_id: soughtBy.id } : { external_id: soughtBy.external_id };
    const inner = innerCall('receipt-store', call, now().getTime());
    const { state, failed } = (await ask(ingestContracts.findPacketState, { body }, inner)).body;
    // Ingest may not have heard yet of an id that was promised; of external ids it hears before anything is promised.
    const isOnItsWay = state === 'accepted' || (state === 'unknown' && isById);
    if (isOnItsWay) throw new ServiceError(processingPending);
    if (failed) onFailed?.({ ...failed, status: 'failed', href: `/pos/packets/${failed.id}` });
    return state === 'converted';
  };
}
