import { unknownCursorIn, type identifierContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { identifierOf } from '../domain/identifier';
import { cursorOf, readCursor, type ListPosition } from '../domain/list-cursor';
import type { Identifiers } from '../storage/identifiers';
import type { ReceiptContributions } from '../storage/receipt-contributions';

const defaultCount = 100;

function positionOf(older: string | undefined): ListPosition | undefined {
  if (older === undefined) return undefined;
  const position = readCursor(older);
  if (!position) throw unknownCursorIn('older');
  return position;
}

export function listIdentifiers(deps: {
  identifiers: Identifiers;
  contributions: ReceiptContributions;
}): Handler<(typeof identifierContracts)['listIdentifiers']> {
  return async ({ query }, call) => {
    const { retailer, consumers } = call;
    const count = query.count ?? defaultCount;
    const signal = deadlineSignal(call);
    // One more than requested, to find out whether there is another page.
    const below = positionOf(query.older);
    const found = await deps.identifiers.page(retailer, below, count + 1, signal, consumers);
    const page = found.slice(0, count);
    const names = page.map(({ identifier }) => identifier);
    const totals = await deps.contributions.totals(retailer, names, signal);
    const last = found.length > count ? page.at(-1) : undefined;
    const next =
      last && `/identifiers?count=${count}&older=${cursorOf({ updatedAt: last.updatedAt, id: last._id })}`;
    return {
      body: {
        identifiers: page.map((record) => identifierOf(record, totals.get(record.identifier))),
        _links: next === undefined ? {} : { next: { href: next } },
      },
    };
  };
}
