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

export function outboxItem(event: CloudEvent): OutboxItem {
  return {
    id: event.id,
    at: new Date(event.time),
    kind: 'event',
    type: event.type,
    body: JSON.stringify(event),
  };
}

/** @param body what the composer needs beside the document; often nothing */
export function commandItem(facts: { id: string; at: Date; type: string; body?: string }): OutboxItem {
  return { id: facts.id, at: facts.at, kind: 'command', type: facts.type, body: facts.body ?? '' };
}

/** The condition of the index and of every query that shall use it. */
export const pendingFilter = { 'outbox.id': { $exists: true } };

/** Declare this in every collection with an outbox. Documents whose outbox is empty have no entry and cost nothing. */
export const outboxIndex: IndexDeclaration = {
  name: 'outbox_pending',
  key: { 'outbox.at': 1 },
  partial: pendingFilter,
};
