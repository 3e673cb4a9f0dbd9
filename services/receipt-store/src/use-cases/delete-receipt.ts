import { receiptNotFound, type deleteReceipt as contract } from '@receipts/contracts';
import { resolvesWithin } from '@receipts/concurrency';
import { isConfined, ServiceError, type Handler } from '@receipts/kernel';
import type { Dependencies } from './dependencies';
import { visibleTo } from './visible-to';

/** How long a response waits for the deletion of raw data. What takes longer continues after the response. */
const discardMsMax = 1_000;

/** Permanently deletes a receipt. */
export function deleteReceipt(deps: Dependencies): Handler<typeof contract> {
  const { deletion, discards, hasArrived } = deps;
  return async ({ params: { id }, headers }, call) => {
    const ifMatch = headers?.['if-match'];
    const visible = visibleTo(deps, call);
    let isDone = await deletion.delete(id, { ifMatch, visible }, call);
    // The consumer and the store of a pending receipt are not known yet, so restricted callers get 404.
    if (!isDone && !isConfined(call) && (await hasArrived({ id }, call)))
      isDone = await deletion.delete(id, { ifMatch, visible }, call);
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
