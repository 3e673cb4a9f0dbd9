import { receiptNotFound, type deleteReceipt as contract } from '@receipts/contracts';
import { ServiceError, type Handler } from '@receipts/kernel';
import type { Parts } from './parts';

/** Permanently deletes a receipt. */
export function deleteReceipt({ deletion, hasArrived }: Parts): Handler<typeof contract> {
  return async ({ params: { id }, headers }, call) => {
    const ifMatch = headers?.['if-match'];
    let isDone = await deletion.delete(id, ifMatch, call);
    // The consumer of a pending receipt is not known yet, so callers restricted to consumers get 404.
    if (!isDone && !call.consumers && (await hasArrived({ id }, call)))
      isDone = await deletion.delete(id, ifMatch, call);
    if (!isDone) throw new ServiceError(receiptNotFound);
    return {};
  };
}
