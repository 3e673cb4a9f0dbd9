import { unknownCursorIn, listPage, pageCountDefault } from '@receipts/contracts';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Registry } from '../open-registry';
import { operatorRetailerOf } from '../domain/retailer';

export function browseRetailers(deps: Registry): HandlerOf<'browseRetailers'> {
  return async ({ query }, call) => {
    const { count = pageCountDefault, older } = query;
    const signal = deadlineSignal(call);
    const cursor = older === undefined ? undefined : await deps.retailers.find(older, signal);
    if (older !== undefined && !cursor) throw unknownCursorIn('older');
    const found = await deps.retailers.newest({}, cursor?.number, count + 1, signal);
    const { entries, links } = listPage(found, count, '/operator/retailers', ({ id }) => id);
    return { body: { retailers: entries.map(operatorRetailerOf), _links: links } };
  };
}
