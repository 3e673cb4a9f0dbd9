import { eventOfItem, inTransitMs, type PublishedEventSource } from '@receipts/storage';
import { printChangePosition, readChangePosition, type ChangePosition } from '../domain/change-cursor';
import { publishedIds, rebuildPublishedEvents } from '../storage/published-events';
import { changesAfter } from './changes-after';
import type { Dependencies } from './dependencies';

/** The published events of receipts: those of new receipts in their order of arrival, then those of changes by time. */
export function publishedReceipts({
  changed,
  receipts,
  now,
}: Pick<Dependencies, 'changed' | 'receipts' | 'now'>): PublishedEventSource {
  return {
    async list(after, count, call) {
      const at = now().getTime();
      if (after === null) {
        const end: ChangePosition = { arrival: await receipts.lastNumber(call.retailer, call), at, id: '' };
        return { entries: [], next: printChangePosition(end), more: false };
      }
      const page = { changed, receipts, count, now: at, until: at - inTransitMs };
      const { changes, next, more } = await changesAfter('published', readChangePosition(after), page, call);
      const entries = changes.map((change) => ({
        id: change._id,
        at: (change.changed_at ?? change.created?.at ?? new Date(0)).toISOString(),
        events: publishedIds(change),
      }));
      return { entries, next: printChangePosition(next), more };
    },
    async find(ids, call) {
      const found = await changed.withPublished(call.retailer, ids, call);
      return found.flatMap((receipt) => {
        const again = rebuildPublishedEvents(receipt);
        const known = new Set(again.map(({ id }) => id));
        // For a deleted receipt, only events that are waiting to be published still have content.
        const pending = (receipt.outbox ?? []).filter(({ isInternal }) => !isInternal).map(eventOfItem);
        return [...again, ...pending.filter(({ id }) => !known.has(id))].map(({ text }) => text);
      });
    },
  };
}
