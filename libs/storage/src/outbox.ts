import type { CloudEvent } from '@receipts/kernel';
import type { IndexDeclaration } from './collection';

/**
 * Something that must go out because of a change, written into the document together with the change. An `event` is
 * published as it is; a `command` is composed from the document when it goes out, so that its data is stored once.
 */
export interface OutboxItem {
  readonly id: string;
  readonly at: Date;
  readonly kind: 'event' | 'command';
  readonly type: string;
  /** JSON of the CloudEvent; for a command whatever its composer needs. */
  readonly body: string;
}

/** Every aggregate that has something to say. */
export interface WithOutbox {
  readonly outbox?: readonly OutboxItem[];
}

/** More pending items than this in one document mean that the relay does not keep up; further changes are refused. */
export const outboxItemsMax = 16;

/** The events that items of this process were made from, to spare parsing them again when they are published. */
const sources = new WeakMap<OutboxItem, CloudEvent>();

/** @param body the JSON of the event, where it is there already */
export function outboxItem(event: CloudEvent, body: string = JSON.stringify(event)): OutboxItem {
  const { id, time, type } = event;
  const item: OutboxItem = { id, at: new Date(time), kind: 'event', type, body };
  sources.set(item, event);
  return item;
}

/** The event of an item, whether the item was made here or read from the database. */
export function eventOfItem(item: OutboxItem): CloudEvent {
  return sources.get(item) ?? (JSON.parse(item.body) as CloudEvent);
}

/** @param body what the composer needs beside the document; often nothing */
export function commandItem(facts: { id: string; at: Date; type: string; body?: string }): OutboxItem {
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
