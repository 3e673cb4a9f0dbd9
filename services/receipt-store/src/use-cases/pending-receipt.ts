import { ingestContracts, processingPending } from '@receipts/contracts';
import { innerCall, ServiceError, type Call, type IdAllotter } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';

export interface PendingReceiptParts {
  readonly ids: IdAllotter;
  readonly ask: Broker['ask'];
  readonly now: () => Date;
}

/**
 * Asks what became of a receipt that was not found.
 * @returns true when it has arrived meanwhile, false when it never was or never will be
 */
export type HasArrived = (id: string, call: Call) => Promise<boolean>;

/**
 * Tells a receipt that was promised and has not come yet from one that nobody has heard of.
 * @throws ServiceError 409 `processing_pending` (from the function that it gives)
 */
export function pendingReceipt({ ids, ask, now }: PendingReceiptParts): HasArrived {
  return async (id, call) => {
    if (!ids.isAllotted(id, call.retailer)) return false;
    const { findPacketState } = ingestContracts;
    const answer = await ask(
      findPacketState,
      { body: { receipt_id: id } },
      innerCall('receipt-store', call, now().getTime()),
    );
    const { state } = answer.body;
    if (state === 'failed') return false;
    if (state !== 'converted') throw new ServiceError(processingPending);
    return true;
  };
}
