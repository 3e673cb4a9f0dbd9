import { receiptNotFound, type deleteReceipt as contract } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import type { ReceiptDeletion } from '../storage/receipt-deletion';
import type { HasArrived } from './pending-receipt';

export interface DeleteReceiptParts {
  readonly deletion: ReceiptDeletion;
  readonly hasArrived: HasArrived;
}

/** Deletes a receipt for good. */
export function deleteReceipt({ deletion, hasArrived }: DeleteReceiptParts): Handler<typeof contract> {
  return async ({ params: { id }, headers }, call) => {
    const ifMatch = headers?.['if-match'];
    let isDone = await deletion.delete(id, ifMatch, call);
    // Nobody knows yet whose receipt a pending one is, so a caller who is confined to consumers hears nothing of it.
    if (!isDone && !call.consumers && (await hasArrived({ id }, call)))
      isDone = await deletion.delete(id, ifMatch, call);
    if (!isDone) throw new ServiceError(receiptNotFound);
    return {};
  };
}
