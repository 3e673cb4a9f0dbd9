import { receiptStoreContracts, type ReturnedReceipt } from '@receipts/contracts';
import { delegatedCall, type Call } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';

/**
 * A receipt as receipt-store returns it to this caller.
 * @throws ServiceError from receipt-store: 404 `receipt_not_found`, 409 `processing_pending`, 410 `receipt_deleted`
 */
export async function readReceipt(
  { id, consumer }: { id: string; consumer?: readonly string[] | undefined },
  call: Call,
  parts: { ask: Broker['ask']; now: () => Date },
): Promise<ReturnedReceipt> {
  const inner = {
    ...delegatedCall('delivery', call, parts.now().getTime()),
    ...(call.consumers && { consumers: call.consumers }),
  };
  const input = { params: { id }, query: { ...(consumer && { consumer: [...consumer] }) } };
  return (await parts.ask(receiptStoreContracts.getReceipt, input, inner)).body;
}
