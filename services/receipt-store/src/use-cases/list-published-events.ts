import type { receiptStoreContracts } from '@receipts/contracts';
import type { Handler } from '@receipts/kernel';
import { inTransitMs } from '@receipts/storage';
import { printChangePlace, readChangePlace, type ChangePlace } from '../domain/change-cursor';
import { publishedIds } from '../storage/published-events';
import { changesAfter } from './changes-after';
import type { Parts } from './parts';

type Contract = (typeof receiptStoreContracts)['listPublishedEvents'];

/** The ids of published events: those of new receipts in their order of arrival, then those of changes by time. */
export function listPublishedEvents({ changed, receipts, now }: Parts): Handler<Contract> {
  return async ({ body: { after, count } }, call) => {
    const at = now().getTime();
    if (after === null) {
      const end: ChangePlace = { seq: await receipts.lastNumber(call.retailer, call), at, id: '' };
      return { body: { entries: [], next: printChangePlace(end), more: false } };
    }
    const page = { changed, receipts, count, now: at, until: at - inTransitMs };
    const { changes, next, more } = await changesAfter('published', readChangePlace(after), page, call);
    const entries = changes.map((change) => ({
      id: change._id,
      at: (change.changed_at ?? change.created?.at ?? new Date(0)).toISOString(),
      events: publishedIds(change),
    }));
    return { body: { entries, next: printChangePlace(next), more } };
  };
}
