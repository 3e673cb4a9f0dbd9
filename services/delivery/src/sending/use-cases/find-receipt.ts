import { receiptStoreContracts, receiptToSendNotFound, type ReturnedReceipt } from '@receipts/contracts';
import { ServiceError, unlessStatus, type Call } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import { readerCall, readReceipt } from '../../read-receipt';

/**
 * The receipt that a request refers to.
 * @throws ServiceError 422 `receipt_not_found`, even if it was deleted; 409 `processing_pending`.
 */
export async function findReceipt(
  named: { id?: string | undefined; transaction_id?: string | undefined },
  call: Call,
  deps: { ask: Broker['ask']; now: () => Date },
): Promise<ReturnedReceipt> {
  if (named.id !== undefined) {
    // If the receipt was deleted, there is nothing to send.
    const found = await unlessStatus(readReceipt({ id: named.id }, call, deps), 404, 410);
    if (!found) throw new ServiceError(receiptToSendNotFound);
    return found;
  }
  const query = { count: 1, transaction_id: [named.transaction_id ?? ''] };
  const inner = readerCall(call, deps.now());
  const [receipt] = (await deps.ask(receiptStoreContracts.listReceipts, { query }, inner)).body.receipts;
  if (!receipt) throw new ServiceError(receiptToSendNotFound);
  return receipt;
}
