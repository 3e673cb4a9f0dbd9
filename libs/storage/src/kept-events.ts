import type { Collection } from 'mongodb';
import type { Call, CloudEvent, SerializedEvent } from '@receipts/kernel';
import type { CollectionDeclaration } from './collection';
import { databaseTimeout, majorityRead, duplicatesIn } from './faults';
import {
  inTransitMs,
  cursorOverlapMs,
  type PublishedPage,
  type PublishedEventSource,
} from './published-event-handlers';

/** An event that is being published or has been. */
export interface KeptEvent {
  readonly _id: string;
  readonly retailer: string;
  /** When the event occurred. */
  readonly time: Date;
  /** When the event was stored here, by the clock of the publishing process. */
  readonly at: Date;
  /** The event's subject and the identifier in its data, by which events are found when a person's data is erased. */
  readonly about: readonly string[];
  /** The JSON of the event. */
  readonly text: string;
}

/** How long a consumer can request events that it has missed. */
const keptSeconds = 24 * 60 * 60;
const order = { name: 'order', key: { retailer: 1, at: 1, _id: 1 } } as const;
const about = { name: 'about', key: { retailer: 1, about: 1 } } as const;

export const keptEventsCollection: CollectionDeclaration = {
  name: 'kept_events',
  indexes: [order, about, { name: 'expiry', key: { at: 1 }, expireAfterSeconds: keptSeconds }],
};

function aboutOf({ subject, data }: CloudEvent): readonly string[] {
  const { identifier } = (data ?? {}) as { identifier?: unknown };
  return [...new Set([subject, ...(typeof identifier === 'string' ? [identifier] : [])])];
}

/** A cursor: `at` in epoch milliseconds, followed by an id to order events with the same time. */
const printCursor = (at: number, id = '') => `${at} ${id}`;
function parseCursor(text: string): { at: Date; id: string } {
  const [at = '', id = ''] = text.split(' ');
  return { at: new Date(Number(at)), id };
}

/**
 * The events of a service's outboxes, kept before they are published. Consumers find events here that the broker has
 * lost, and those that a later event of the same subject has overtaken.
 */
export class KeptEvents implements PublishedEventSource {
  constructor(
    private readonly collection: Collection<KeptEvent>,
    private readonly now: () => number = Date.now,
  ) {}

  /** Stores the events that integrators receive. Events that are already stored remain unchanged. */
  async keep(events: readonly SerializedEvent[]): Promise<void> {
    const at = new Date(this.now());
    const documents = events
      .filter(({ isInternal }) => !isInternal)
      .map(({ id, retailer, at: time, text }): KeptEvent => {
        const about = aboutOf(JSON.parse(text) as CloudEvent);
        return { _id: id, retailer, time: new Date(time), at, about, text };
      });
    if (documents.length > 0) {
      await duplicatesIn(() => this.collection.insertMany(documents, { ordered: false }));
    }
  }

  async list(after: string | null, count: number, call: Call): Promise<PublishedPage> {
    const now = this.now();
    if (after === null) return { entries: [], next: printCursor(now), more: false };
    const begin = parseCursor(after);
    const found = await this.collection
      .find(
        {
          retailer: call.retailer,
          at: { $gte: begin.at, $lte: new Date(now - inTransitMs) },
          $or: [{ at: { $gt: begin.at } }, { _id: { $gt: begin.id } }],
        },
        {
          projection: { at: 1, time: 1 },
          sort: { at: 1, _id: 1 },
          limit: count,
          hint: order.name,
          ...majorityRead(call),
        },
      )
      .toArray();
    const entries = found.map(({ _id, time }) => ({ id: _id, at: time.toISOString(), events: [_id] }));
    const last = found.at(-1);
    if (last && found.length === count) {
      return { entries, next: printCursor(last.at.getTime(), last._id), more: true };
    }
    return { entries, next: printCursor(Math.max(begin.at.getTime(), now - cursorOverlapMs)), more: false };
  }

  async find(ids: readonly string[], call: Call): Promise<readonly string[]> {
    const found = await this.collection
      .find(
        { retailer: call.retailer, $or: [{ _id: { $in: [...ids] } }, { about: { $in: [...ids] } }] },
        { projection: { text: 1 }, ...majorityRead(call) },
      )
      .toArray();
    const isAsked = ({ id, subject }: CloudEvent) => ids.includes(id) || ids.includes(subject);
    return found.map(({ text }) => text).filter((text) => isAsked(JSON.parse(text) as CloudEvent));
  }

  /** Deletes the events about these subjects and identifiers. */
  async forget(
    retailer: string,
    about: readonly string[],
    signal: AbortSignal = databaseTimeout(),
  ): Promise<void> {
    if (about.length === 0) return;
    await this.collection.deleteMany({ retailer, about: { $in: [...about] } }, { signal });
  }
}
