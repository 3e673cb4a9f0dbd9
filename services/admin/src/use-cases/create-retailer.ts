import type { adminContracts } from '@receipts/contracts';
import { entityTag } from '@receipts/json-patch';
import type { Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { retailerEvent } from '../domain/events';
import { newRetailer, operatorRetailerOf } from '../domain/retailer';
import type { Retailers } from '../storage/retailers';

export function createRetailer(deps: {
  retailers: Retailers;
  now: () => Date;
}): Handler<(typeof adminContracts)['createRetailer']> {
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
