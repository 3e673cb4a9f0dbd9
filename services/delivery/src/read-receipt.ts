import { receiptStoreContracts, type ReturnedReceipt } from '@receipts/contracts';
import { delegatedCall, type Call } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';

/** A call to receipt-store with the rights of a caller, who may be restricted to consumers or stores. */
export const readerCall = (call: Call, now: Date): Call => ({
  ...delegatedCall('delivery', call, now.getTime()),
  ...(call.consumers && { consumers: call.consumers }),
  ...(call.stores && { stores: call.stores }),
});

/**
 * A receipt as receipt-store returns it to this caller.
 * @throws ServiceError from receipt-store: 404 `receipt_not_found`, 409 `processing_pending`, 410 `receipt_deleted`
 */
export async function readReceipt(
  { id, consumer }: { id: string; consumer?: readonly string[] | undefined },
  call: Call,
  deps: { ask: Broker['ask']; now: () => Date },
): Promise<ReturnedReceipt> {
  const input = { params: { id }, query: { ...(consumer && { consumer: [...consumer] }) } };
  return (await deps.ask(receiptStoreContracts.getReceipt, input, readerCall(call, deps.now()))).body;
}
