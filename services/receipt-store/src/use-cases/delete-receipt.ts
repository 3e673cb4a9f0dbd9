import { receiptNotFound, type deleteReceipt as contract } from '@receipts/contracts';
import { resolvesWithin, ServiceError, type Handler } from '@receipts/kernel';
import type { Parts } from './parts';

/** How long a response waits for the deletion of raw data. What takes longer continues after the response. */
const discardMsMax = 1_000;

/** Permanently deletes a receipt. */
export function deleteReceipt({ deletion, discards, hasArrived }: Parts): Handler<typeof contract> {
  return async ({ params: { id }, headers }, call) => {
    const ifMatch = headers?.['if-match'];
    let isDone = await deletion.delete(id, ifMatch, call);
    // The consumer of a pending receipt is not known yet, so callers restricted to consumers get 404.
    if (!isDone && !call.consumers && (await hasArrived({ id }, call)))
      isDone = await deletion.delete(id, ifMatch, call);
    if (!isDone) throw new ServiceError(receiptNotFound);
    const discarding = discards.run(call.retailer, [id], call);
    // An error is not lost: the receipt keeps the work, and it is repeated.
    await resolvesWithin(
      discardMsMax,
      discarding.catch(() => false),
    );
    return {};
  };
}
