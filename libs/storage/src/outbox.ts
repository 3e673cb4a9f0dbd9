import type { SerializedEvent } from '@receipts/kernel';
import type { IndexDeclaration } from './collection';

interface Item {
  readonly id: string;
  readonly at: Date;
  readonly type: string;
}

/** An event whose text is fixed when the change is made and is published unchanged. */
export interface EventItem extends Item, Pick<SerializedEvent, 'retailer' | 'correlationId' | 'traceparent'> {
  readonly kind: 'event';
  readonly isInternal: boolean;
  /** The JSON of the event. */
  readonly body: string;
}

/** A command. It is composed from the document when it is sent, so that its data is stored only once. */
export interface CommandItem extends Item {
  readonly kind: 'command';
  /** Data that the composer needs in addition to the document. */
  readonly body: string;
}

/** A message that must be sent because of a change. It is written into the document together with the change. */
export type OutboxItem = EventItem | CommandItem;

/** An aggregate with an outbox. */
export interface WithOutbox {
  readonly outbox?: readonly OutboxItem[];
}

/**
 * More pending items than this in one document mean that the relay cannot keep up, and further changes are refused.
 */
export const outboxItemsMax = 32;

export function outboxItem({ text, at, ...event }: SerializedEvent): EventItem {
  return { ...event, at: new Date(at), kind: 'event', body: text };
}

/** The event of an item. */
export function eventOfItem({ kind: _, body: text, at, ...event }: EventItem): SerializedEvent {
  return { ...event, at: at.getTime(), text };
}

/** @param body data that the composer needs in addition to the document; usually empty */
export function commandItem(facts: { id: string; at: Date; type: string; body?: string }): CommandItem {
  return { id: facts.id, at: facts.at, kind: 'command', type: facts.type, body: facts.body ?? '' };
}

/** The filter of the partial index. Every query that should use the index must contain it. */
export const pendingFilter = { 'outbox.id': { $exists: true } };

/**
 * Reads pending documents in the order of their oldest item by scanning the index in its order. A multikey index
 * cannot serve a sort, so a sort would read all pending documents for every page.
 */
export const oldestFirst = { hint: 'outbox_pending' } as const;

/** Every collection with an outbox must declare this index. Documents with an empty outbox have no entry in it. */
export const outboxIndex: IndexDeclaration = {
  name: oldestFirst.hint,
  key: { 'outbox.at': 1 },
  partial: pendingFilter,
};
