import { retailerNotFound, type adminContracts } from '@receipts/contracts';
import { entityTag } from '@receipts/json-patch';
import { ServiceError, type Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { operatorRetailerOf } from '../domain/retailer';
import type { Retailers } from '../storage/retailers';

export function getRetailer(deps: { retailers: Retailers }): Handler<(typeof adminContracts)['getRetailer']> {
  return async ({ params }, call) => {
    const record = await deps.retailers.find(params.id, deadlineSignal(call));
    if (!record) throw new ServiceError(retailerNotFound);
    return { body: operatorRetailerOf(record), meta: { etag: entityTag(record.version) } };
  };
}
