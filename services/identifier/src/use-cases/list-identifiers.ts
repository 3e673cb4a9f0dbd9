import { listPage, pageCountDefault, unknownCursorIn, type identifierContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { identifierOf } from '../domain/identifier';
import { cursorOf, readCursor } from '../domain/list-cursor';
import type { Parts } from './parts';

export function listIdentifiers(parts: Parts): Handler<(typeof identifierContracts)['listIdentifiers']> {
  return async ({ query }, call) => {
    const { retailer, consumers } = call;
    const { count = pageCountDefault, older } = query;
    const below = older === undefined ? undefined : readCursor(older);
    if (older !== undefined && !below) throw unknownCursorIn('older');
    const signal = deadlineSignal(call);
    const found = await parts.identifiers.page(retailer, below, count + 1, signal, consumers);
    const { entries, links } = listPage(found, count, '/identifiers', cursorOf);
    const names = entries.map(({ identifier }) => identifier);
    const totals = await parts.contributions.totals(retailer, names, signal);
    const identifiers = entries.map((record) => identifierOf(record, totals.get(record.identifier)));
    return { body: { identifiers, _links: links } };
  };
}
