import type { adminContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { checkAdministers } from '../domain/client';
import { storeEvent } from '../domain/events';
import { newStore } from '../domain/store';
import type { Stores } from '../storage/stores';

export function createStore(deps: {
  stores: Stores;
  now: () => Date;
}): Handler<(typeof adminContracts)['createStore']> {
  return async ({ body }, call) => {
    checkAdministers(call);
    const now = deps.now();
    const { reference } = await deps.stores.create(
      call.retailer,
      body,
      (allotted) => newStore(call.retailer, body, allotted, now),
      (record) => storeEvent(record, call, now),
      { callId: call.id, signal: deadlineSignal(call) },
    );
    return { body: { reference }, meta: { reference } };
  };
}
