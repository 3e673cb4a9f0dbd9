import { parseExactly, printExactly, type EventRecord } from '@receipts/kernel';
import { appendNumbered, type CollectionDeclaration } from '@receipts/storage';
import type { Collection, FindOptions } from 'mongodb';
import { aboutOf, isOfPacket, type Erased } from '../domain/event-erasure';
import { streamOf } from '../domain/event-stream';

/** A retailer's event as published, numbered in order of arrival in this service. */
export interface LoggedEvent {
  readonly _id: string;
  readonly retailer: string;
  /** From 1, without gaps; old events are removed from the beginning. */
  readonly position: number;
  readonly type: string;
  readonly at: Date;
  /** The JSON of the event. */
  readonly text: string;
  /** The keys by which the event is found for erasure. */
  readonly about: readonly string[];
  readonly sequence: number;
  /** What was erased from the event, so that repeating an erasure has no effect. */
  readonly erased?: Erased;
  /** Set for events of packets until they are erased. */
  readonly isOfPacket?: true;
}

/** A number in a retailer's log and the id of its event; 0 and empty before the first event. */
export interface LogPosition {
  readonly position: number;
  readonly id: string;
}

const positionIndex = 'by_position';

export const eventLogDeclaration: CollectionDeclaration = {
  name: 'event_log',
  indexes: [
    { name: positionIndex, key: { retailer: 1, position: 1 }, unique: true },
    { name: 'by_time', key: { retailer: 1, at: 1, _id: 1 } },
    { name: 'of_packets', key: { retailer: 1, at: 1 }, partial: { isOfPacket: { $exists: true } } },
    { name: 'by_about', key: { retailer: 1, about: 1, position: 1 } },
  ],
};

/** Only events written to a majority are read: otherwise a number could belong to another event after a failover. */
const settled = { readConcern: { level: 'majority' as const } };

/**
 * The events of retailers with a feed or webhooks, numbered without gaps. A reader that continues after the last number
 * that it saw therefore does not miss any event, no matter how many processes write.
 */
export class EventLog {
  constructor(private readonly collection: Collection<LoggedEvent>) {}

  /** Appends events of one retailer, except those that already exist. */
  async append(retailer: string, events: readonly EventRecord[], signal: AbortSignal): Promise<void> {
    const documents = [...new Map(events.map((event) => [event.id, event])).values()].map((event) => ({
      _id: event.id,
      retailer,
      type: event.type,
      at: new Date(event.time),
      text: printExactly(event, event),
      about: aboutOf(event),
      sequence: event.sequence,
      ...(isOfPacket(event.type) && { isOfPacket: true as const }),
    }));
    await appendNumbered({
      collection: this.collection,
      documents,
      numberField: 'position',
      indexName: positionIndex,
      last: () => this.lastPosition(retailer, signal),
      signal: () => signal,
    });
  }

  /** The last number, even of an event that is not yet written to a majority; 0 if there is none. */
  async lastPosition(retailer: string, signal: AbortSignal): Promise<number> {
    return (await this.atEnd(retailer, { position: -1 }, { signal }))?.position ?? 0;
  }

  /** The last event that was written to a majority, for readers. */
  async last(retailer: string, signal: AbortSignal): Promise<LogPosition> {
    const last = await this.atEnd(retailer, { position: -1 }, { signal, ...settled });
    return { position: last?.position ?? 0, id: last?._id ?? '' };
  }

  /** The number of the oldest event kept; undefined if there is none. */
  async firstPosition(retailer: string, signal: AbortSignal): Promise<number | undefined> {
    return (await this.atEnd(retailer, { position: 1 }, { signal, ...settled }))?.position;
  }

  private async atEnd(
    retailer: string,
    sort: { readonly position: 1 | -1 },
    options: FindOptions,
  ): Promise<Pick<LoggedEvent, '_id' | 'position'> | null> {
    return this.collection.findOne({ retailer }, { projection: { position: 1 }, sort, ...options });
  }

  /** The id of the event with this number; undefined if it is not kept. */
  async idAt(retailer: string, position: number, signal: AbortSignal): Promise<string | undefined> {
    const found = await this.collection.findOne(
      { retailer, position },
      { projection: { position: 1 }, signal, ...settled },
    );
    return found?._id;
  }

  /** The events after one number and up to another, in the order of the log. */
  async between(
    retailer: string,
    after: number,
    upTo: number,
    which: { readonly types?: readonly string[] | undefined; readonly count: number },
    signal: AbortSignal,
  ): Promise<LoggedEvent[]> {
    const { types, count } = which;
    return this.collection
      .find(
        { retailer, position: { $gt: after, $lte: upTo }, ...(types && { type: { $in: [...types] } }) },
        { signal, ...settled },
      )
      .sort({ position: 1 })
      .limit(count)
      .toArray();
  }

  async find(retailer: string, id: string, signal: AbortSignal): Promise<EventRecord | undefined> {
    const found = await this.collection.findOne({ _id: id, retailer }, { signal });
    return found ? (parseExactly(found.text) as EventRecord) : undefined;
  }

  /** Returns the ids of the events that exist. */
  async known(retailer: string, ids: readonly string[], signal: AbortSignal): Promise<Set<string>> {
    const filter = { _id: { $in: [...ids] }, retailer };
    const found = await this.collection.find(filter, { projection: { _id: 1 }, signal }).toArray();
    return new Set(found.map(({ _id }) => _id));
  }

  /** The ids of the events whose previous event for the same subject exists. */
  async withPredecessor(
    retailer: string,
    events: readonly EventRecord[],
    signal: AbortSignal,
  ): Promise<Set<string>> {
    const found = await this.collection
      .find(
        {
          retailer,
          about: { $in: [...new Set(events.map(({ subject }) => subject))] },
          sequence: { $in: [...new Set(events.map(({ sequence }) => sequence - 1))] },
        },
        { projection: { type: 1, about: 1, sequence: 1 }, signal },
      )
      .toArray();
    const changeKey = (type: string, subject: string, sequence: number) =>
      `${streamOf({ type, subject })}|${sequence}`;
    const present = new Set(
      found.flatMap(({ type, about, sequence }) =>
        about.map((subject) => changeKey(type, subject, sequence)),
      ),
    );
    const complete = events.filter(({ type, subject, sequence }) =>
      present.has(changeKey(type, subject, sequence - 1)),
    );
    return new Set(complete.map(({ id }) => id));
  }

  /** The events of a period after a given position, oldest first. */
  async since(
    retailer: string,
    position: { readonly at: Date; readonly id: string },
    until: Date,
    count: number,
    signal: AbortSignal,
  ): Promise<LoggedEvent[]> {
    const after = [{ at: { $gt: position.at } }, { at: position.at, _id: { $gt: position.id } }];
    return this.collection
      .find({ retailer, at: { $gte: position.at, $lte: until }, $or: after }, { signal })
      .sort({ at: 1, _id: 1 })
      .limit(count)
      .toArray();
  }

  /** The next retailer that has events, in id order. */
  async nextRetailer(after: string, signal: AbortSignal): Promise<string | undefined> {
    const sort = { retailer: 1, position: 1 } as const;
    const options = { projection: { retailer: 1 }, sort, signal };
    return (await this.collection.findOne({ retailer: { $gt: after } }, options))?.retailer;
  }

  /** Deletes older events. The newest event is always kept, because numbering continues from it. */
  async trim(retailer: string, before: Date, signal: AbortSignal): Promise<number> {
    const last = await this.lastPosition(retailer, signal);
    const filter = { retailer, at: { $lt: before }, position: { $lt: last } };
    return (await this.collection.deleteMany(filter, { signal })).deletedCount;
  }
}
