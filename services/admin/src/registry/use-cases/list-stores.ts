import { unknownCursorIn, listPage, pageCountDefault } from '@receipts/contracts';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Registry } from '../open-registry';
import { storeOf } from '../domain/store';

export function listStores(deps: Registry): HandlerOf<'listStores'> {
  return async ({ query }, call) => {
    const { count = pageCountDefault, older } = query;
    const signal = deadlineSignal(call);
    if (older !== undefined && !(await deps.stores.findById(call.retailer, older, signal))) {
      throw unknownCursorIn('older');
    }
    const found = await deps.stores.newestOf(
      call.retailer,
      call.stores,
      { below: older, count: count + 1 },
      signal,
    );
    const { entries, links } = listPage(found, count, '/stores', ({ id }) => String(id));
    return { body: { stores: entries.map(storeOf), _links: links } };
  };
}
