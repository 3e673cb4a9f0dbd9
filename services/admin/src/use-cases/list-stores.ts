import { unknownCursorIn, type adminContracts, listPage, pageCountDefault } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { storeOf } from '../domain/store';
import type { Stores } from '../storage/stores';

export function listStores(deps: { stores: Stores }): Handler<(typeof adminContracts)['listStores']> {
  return async ({ query }, call) => {
    const { count = pageCountDefault, older } = query;
    const signal = deadlineSignal(call);
    if (older !== undefined && !(await deps.stores.findById(call.retailer, older, signal))) {
      throw unknownCursorIn('older');
    }
    const found = await deps.stores.page(call.retailer, older, count + 1, signal);
    const { entries, links } = listPage(found, count, '/stores', ({ id }) => String(id));
    return { body: { stores: entries.map(storeOf), _links: links } };
  };
}
