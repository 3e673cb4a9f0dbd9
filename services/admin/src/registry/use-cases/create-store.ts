import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Registry } from '../open-registry';
import { storeEvent } from '../domain/events';
import { newStore } from '../domain/store';

export function createStore(deps: Registry): HandlerOf<'createStore'> {
  return async ({ body }, call) => {
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
