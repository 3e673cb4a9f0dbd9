import { ServiceError, unavailable } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Registry } from '../open-registry';
import { storeEvent } from '../domain/events';
import { namedByReceipt, newStore, updateFromReceipt } from '../domain/store';
import { idOf } from '../storage/aggregates';

/** The same store may be created concurrently; the second attempt then updates it. */
const attemptsMax = 2;

export function savePostedStore(deps: Registry): HandlerOf<'savePostedStore'> {
  return async ({ body }, call) => {
    const { retailer } = call;
    const { store_reference: reference } = body;
    const signal = deadlineSignal(call);
    const cause = { callId: call.id, signal };
    const now = deps.now();
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      const found =
        typeof reference === 'number'
          ? await deps.stores.findNumbered(retailer, reference, signal)
          : await deps.stores.find(retailer, reference, signal);
      const posted = namedByReceipt(reference, body.store, found);
      if (found) {
        const decide = (current: typeof found) => updateFromReceipt(current, posted, now);
        const event = (next: typeof found) => storeEvent(next, call, now);
        const store = await deps.stores.change(retailer, idOf(retailer, found.id), decide, event, cause);
        if (store) return { body: { store } };
        continue;
      }
      try {
        const store = await deps.stores.create(
          retailer,
          posted,
          (allotted) => newStore(retailer, posted, allotted, now),
          (record) => storeEvent(record, call, now),
          cause,
        );
        return { body: { store } };
      } catch (error) {
        if (!(error instanceof ServiceError) || error.status !== 409 || attempt === attemptsMax) throw error;
      }
    }
    throw new ServiceError(unavailable);
  };
}
