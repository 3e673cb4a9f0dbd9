import { retailerNotFound } from '@receipts/contracts';
import { entityTag } from '@receipts/json-patch';
import { ServiceError } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { Endpoint, Registry } from '../open-registry';
import { retailerEvent } from '../domain/events';
import { operatorRetailerOf, patchRetailer as patched } from '../domain/retailer';

export function patchRetailer(deps: Registry): Endpoint<'patchRetailer'> {
  return async ({ params, headers, body, contentType }, call) => {
    const now = deps.now();
    const record = await deps.retailers.change(
      params.id,
      params.id,
      (current) => patched(current, { body, contentType }, headers['if-match']),
      (next) => retailerEvent(next, call, now),
      { callId: call.id, signal: deadlineSignal(call) },
    );
    if (!record) throw new ServiceError(retailerNotFound);
    return { body: operatorRetailerOf(record), meta: { etag: entityTag(record.version) } };
  };
}
