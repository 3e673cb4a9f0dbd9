import { receiptStoreContracts, receiptToSendNotFound, type ReturnedReceipt } from '@receipts/contracts';
import { innerCall, ServiceError, type Call } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';

const notFoundStatus = 404;

/**
 * The receipt that a request names.
 * @throws ServiceError 422 `receipt_not_found`, 409 `processing_pending`.
 */
export async function findReceipt(
  named: { id?: string | undefined; transaction_id?: string | undefined },
  call: Call,
  parts: { ask: Broker['ask']; now: () => Date },
): Promise<ReturnedReceipt> {
  const inner = {
    ...innerCall('delivery', call, parts.now().getTime()),
    ...(call.consumers && { consumers: call.consumers }),
  };
  if (named.id !== undefined) {
    try {
      const input = { params: { id: named.id }, query: {} };
      return (await parts.ask(receiptStoreContracts.getReceipt, input, inner)).body;
    } catch (error) {
      if (error instanceof ServiceError && error.status === notFoundStatus) {
        throw new ServiceError(receiptToSendNotFound);
      }
      throw error;
    }
  }
  const query = { count: 1, transaction_id: [named.transaction_id ?? ''] };
  const [receipt] = (await parts.ask(receiptStoreContracts.listReceipts, { query }, inner)).body.receipts;
  if (!receipt) throw new ServiceError(receiptToSendNotFound);
  return receipt;
}
