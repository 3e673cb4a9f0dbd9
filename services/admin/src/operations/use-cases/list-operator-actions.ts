import { unknownCursorIn, listPage, pageCountDefault } from '@receipts/contracts';
import { timestampOf } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import type { HandlerOf, Operations } from '../open-operations';

export function listOperatorActions(deps: Operations): HandlerOf<'listOperatorActions'> {
  return async ({ query }, call) => {
    const { count = pageCountDefault, older, retailer } = query;
    const signal = deadlineSignal(call);
    if (older !== undefined && !(await deps.actions.has(older, signal))) throw unknownCursorIn('older');
    const found = await deps.actions.page(retailer, older, count + 1, signal);
    const { entries, links } = listPage(found, count, '/operator/audit', ({ _id }) => _id, { retailer });
    const actions = entries.map(({ _id: id, at, status, ...facts }) => ({
      ...facts,
      id,
      timestamp: timestampOf(at),
      status: status ?? null,
    }));
    return { body: { actions, _links: links } };
  };
}
