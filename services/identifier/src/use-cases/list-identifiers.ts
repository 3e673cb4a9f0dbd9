import { listPage, pageCountDefault, unknownCursorIn, type identifierContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { identifierOf } from '../domain/identifier';
import { cursorOf, readCursor } from '../domain/list-cursor';
import type { Dependencies } from './dependencies';

export function listIdentifiers(
  deps: Dependencies,
): Handler<(typeof identifierContracts)['listIdentifiers']> {
  return async ({ query }, call) => {
    const { retailer, consumers } = call;
    const { count = pageCountDefault, older } = query;
    const below = older === undefined ? undefined : readCursor(older);
    if (older !== undefined && !below) throw unknownCursorIn('older');
    const signal = deadlineSignal(call);
    const found = await deps.identifiers.page(retailer, below, count + 1, signal, consumers);
    const { entries, links } = listPage(found, count, '/identifiers', cursorOf);
    const names = entries.map(({ identifier }) => identifier);
    const totals = await deps.contributions.totals(retailer, names, signal);
    const identifiers = entries.map((record) => identifierOf(record, totals.get(record.identifier)));
    return { body: { identifiers, _links: links } };
  };
}
