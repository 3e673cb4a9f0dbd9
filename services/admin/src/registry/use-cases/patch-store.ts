import { noSuchStore } from '@receipts/contracts';
import { entityTag } from '@receipts/json-patch';
import { ServiceError } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Registry } from '../open-registry';
import { storeEvent } from '../domain/events';
import { patchStore as patched, storeOf } from '../domain/store';
import { idOf } from '../storage/aggregates';

export function patchStore(deps: Registry): HandlerOf<'patchStore'> {
  return async ({ params, headers, body }, call) => {
    const signal = deadlineSignal(call);
    const found = await deps.stores.find(call.retailer, params.reference, signal);
    const now = deps.now();
    const record =
      found &&
      (await deps.stores.change(
        call.retailer,
        idOf(call.retailer, found.id),
        (current) => patched(current, body, headers['if-match'], now),
        (next) => storeEvent(next, call, now),
        { callId: call.id, signal },
      ));
    if (!record) throw new ServiceError(noSuchStore);
    return { body: storeOf(record), meta: { etag: entityTag(record.version) } };
  };
}
