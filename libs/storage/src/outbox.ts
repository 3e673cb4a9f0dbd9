import type { CloudEvent, PrintedEvent } from '@receipts/kernel';
import type { IndexDeclaration } from './collection';

interface Item {
  readonly id: string;
  readonly at: Date;
  readonly type: string;
}

/** An event, printed when the change was made; it goes out as it is. */
export interface EventItem extends Item, Pick<PrintedEvent, 'retailer' | 'correlationId' | 'traceparent'> {
  readonly kind: 'event';
  readonly isInternal: boolean;
  /** The JSON of the event. */
  readonly body: string;
}

/** A command, composed from the document when it goes out, so that its data is stored once. */
export interface CommandItem extends Item {
  readonly kind: 'command';
  /** Whatever the composer needs beside the document. */
  readonly body: string;
}

/** Something that must go out because of a change, written into the document together with the change. */
export type OutboxItem = EventItem | CommandItem;

/** Every aggregate that has something to say. */
export interface WithOutbox {
  readonly outbox?: readonly OutboxItem[];
}

/** More pending items than this in one document mean that the relay does not keep up; further changes are refused. */
export const outboxItemsMax = 32;

export function outboxItem({ text, at, ...event }: PrintedEvent): EventItem {
  return { ...event, at: new Date(at), kind: 'event', body: text };
}

/** The event of an item. One that an earlier release has written shows its attributes in its text only. */
export function eventOfItem({ kind: _, body: text, at, ...shown }: EventItem): PrintedEvent {
  if (typeof shown.retailer === 'string') return { ...shown, at: at.getTime(), text };
  const { id, type, retailer, correlationid, traceparent } = JSON.parse(text) as CloudEvent;
  const attributes = {
    id,
    type,
    retailer,
    correlationId: correlationid,
    at: at.getTime(),
    isInternal: false,
  };
  return { ...attributes, ...(traceparent !== undefined && { traceparent }), text };
}

/** @param body what the composer needs beside the document; often nothing */
export function commandItem(facts: { id: string; at: Date; type: string; body?: string }): CommandItem {
  return { id: facts.id, at: facts.at, kind: 'command', type: facts.type, body: facts.body ?? '' };
}

/** The condition of the index and of every query that shall use it. */
export const pendingFilter = { 'outbox.id': { $exists: true } };

/**
 * Reads pending documents by their oldest item. The index is read in its order; a sort would read all of them for each
 * page, because an index over members of arrays cannot sort.
 */
export const oldestFirst = { hint: 'outbox_pending' } as const;

/** Declare this in every collection with an outbox. Documents whose outbox is empty have no entry and cost nothing. */
export const outboxIndex: IndexDeclaration = {
  name: oldestFirst.hint,
  key: { 'outbox.at': 1 },
  partial: pendingFilter,
};
