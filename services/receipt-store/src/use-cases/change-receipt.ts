import { receiptNotFound } from '@receipts/contracts';
import { isConfined, ServiceError, type Call } from '@receipts/kernel';
import type { ReceiptChange, ReceiptState } from '../storage/receipt-changes';
import type { Dependencies } from './dependencies';

/**
 * Changes a receipt identified by its id. This also works if the receipt has only just been converted.
 * @returns the receipt after the change
 * @throws ServiceError 404 `receipt_not_found`, 409 `processing_pending`, 410 `receipt_deleted`
 */
export async function changeReceipt(
  { changes, hasArrived }: Dependencies,
  id: string,
  change: ReceiptChange,
  call: Call,
): Promise<ReceiptState> {
  let saved = await changes.change(id, change, call);
  // The consumer and the store of a pending receipt are not known yet, so restricted callers get 404.
  if (!saved && !isConfined(call) && (await hasArrived({ id }, call)))
    saved = await changes.change(id, change, call);
  if (!saved) throw new ServiceError(receiptNotFound);
  return saved;
}
