import { receiptStoreContracts, receiptToSendNotFound, type ReturnedReceipt } from '@receipts/contracts';
import { ServiceError, type Call } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import { readerCall, readReceipt } from '../../read-receipt';

/** The receipt does not exist or was deleted, so there is nothing to send. */
const gone: ReadonlySet<number> = new Set([404, 410]);

/**
 * The receipt that a request refers to.
 * @throws ServiceError 422 `receipt_not_found`, even if it was deleted; 409 `processing_pending`.
 */
export async function findReceipt(
  named: { id?: string | undefined; transaction_id?: string | undefined },
  call: Call,
  parts: { ask: Broker['ask']; now: () => Date },
): Promise<ReturnedReceipt> {
  if (named.id !== undefined) {
    try {
      return await readReceipt({ id: named.id }, call, parts);
    } catch (error) {
      if (error instanceof ServiceError && gone.has(error.status)) {
        throw new ServiceError(receiptToSendNotFound);
      }
      throw error;
    }
  }
  const query = { count: 1, transaction_id: [named.transaction_id ?? ''] };
  const inner = readerCall(call, parts.now());
  const [receipt] = (await parts.ask(receiptStoreContracts.listReceipts, { query }, inner)).body.receipts;
  if (!receipt) throw new ServiceError(receiptToSendNotFound);
  return receipt;
}
