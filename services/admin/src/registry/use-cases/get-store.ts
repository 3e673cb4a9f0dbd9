import { noSuchStore } from '@receipts/contracts';
import { entityTag } from '@receipts/json-patch';
import { ServiceError } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Registry } from '../open-registry';
import { hasReference, storeOf } from '../domain/store';

export function getStore(deps: Registry): HandlerOf<'getStore'> {
  return async ({ params }, call) => {
    const record = await deps.stores.find(call.retailer, params.reference, deadlineSignal(call));
    if (!record || (call.stores && !hasReference(record, call.stores))) throw new ServiceError(noSuchStore);
    return { body: storeOf(record), meta: { etag: entityTag(record.version) } };
  };
}
