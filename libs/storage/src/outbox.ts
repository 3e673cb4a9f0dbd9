import type { SerializedEvent } from '@receipts/kernel';
import type { IndexDeclaration } from './collection';

/**
 * An event that must be published because of a change. It is written into the document together with the change, and
 * published unchanged.
 */
export interface OutboxItem extends Omit<SerializedEvent, 'at' | 'text'> {
  readonly at: Date;
  /** The JSON of the event. */
  readonly body: string;
}

/** An aggregate with an outbox. */
export interface WithOutbox {
  readonly outbox?: readonly OutboxItem[];
}

/**
 * More pending items than this in one document mean that the relay cannot keep up, and further changes are rejected.
 */
export const outboxItemsMax = 32;

export function outboxItem({ text, at, ...event }: SerializedEvent): OutboxItem {
  return { ...event, at: new Date(at), body: text };
}

/** The event of an item. */
export function eventOfItem({ body: text, at, ...event }: OutboxItem): SerializedEvent {
  return { ...event, at: at.getTime(), text };
}

/** The filter of the partial index. Every query that should use the index must contain it. */
export const pendingFilter = { 'outbox.id': { $exists: true } };

/**
 * Reads pending documents, those with the oldest item first. A multikey index serves this sort only if the filter does
 * not test the time of an item; otherwise every page would read and sort all pending documents.
 */
export const oldestFirst = { hint: 'outbox_pending', sort: { 'outbox.at': 1 } } as const;

/** When the oldest item was written, in epoch milliseconds; Infinity if there is none. */
export const oldestItemMs = ({ outbox = [] }: WithOutbox): number =>
  Math.min(...outbox.map(({ at }) => at.getTime()));

/** Every collection with an outbox must declare this index. Documents with an empty outbox have no entry in it. */
export const outboxIndex: IndexDeclaration = {
  name: oldestFirst.hint,
  key: { 'outbox.at': 1 },
  partial: pendingFilter,
};
