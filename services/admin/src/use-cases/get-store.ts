import { noSuchStore, type adminContracts } from '@receipts/contracts';
import { entityTag } from '@receipts/json-patch';
import { ServiceError, type Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { storeOf } from '../domain/store';
import type { Stores } from '../storage/stores';

export function getStore(deps: { stores: Stores }): Handler<(typeof adminContracts)['getStore']> {
  return async ({ params }, call) => {
    const record = await deps.stores.find(call.retailer, params.reference, deadlineSignal(call));
    if (!record) throw new ServiceError(noSuchStore);
    return { body: storeOf(record), meta: { etag: entityTag(record.version) } };
  };
}
