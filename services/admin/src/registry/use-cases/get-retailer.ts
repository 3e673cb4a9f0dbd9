import { retailerNotFound } from '@receipts/contracts';
import { entityTag } from '@receipts/json-patch';
import { ServiceError } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Registry } from '../open-registry';
import { operatorRetailerOf } from '../domain/retailer';

export function getRetailer(deps: Registry): HandlerOf<'getRetailer'> {
  return async ({ params }, call) => {
    const record = await deps.retailers.find(params.id, deadlineSignal(call));
    if (!record) throw new ServiceError(retailerNotFound);
    return { body: operatorRetailerOf(record), meta: { etag: entityTag(record.version) } };
  };
}
