import { entityTag } from '@receipts/json-patch';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Registry } from '../open-registry';
import { retailerEvent } from '../domain/events';
import { newRetailer, operatorRetailerOf } from '../domain/retailer';

export function createRetailer(deps: Registry): HandlerOf<'createRetailer'> {
  return async ({ body }, call) => {
    const now = deps.now();
    const record = await deps.retailers.create(
      body.id,
      (number) => newRetailer(body, number),
      (created) => retailerEvent(created, call, now),
      { callId: call.id, signal: deadlineSignal(call) },
    );
    return {
      body: operatorRetailerOf(record),
      meta: { id: record.id, etag: entityTag(record.version) },
    };
  };
}
