import type { PrintedEvent } from '@receipts/kernel';
import { outboxItem, VersionedChanges, type Aggregate, type OutboxItem, type Relay } from '@receipts/storage';
import type { Collection, Document, OptionalUnlessRequiredId, UpdateFilter } from 'mongodb';

/** How a record is kept. */
export interface Shape<D, R> {
  /** Everything but `_id`, `version` and `outbox`. */
  readonly documentOf: (record: R) => Omit<D, '_id' | 'version' | 'outbox'>;
  readonly recordOf: (document: D) => R;
}

/** What every document here has. `_id` is made of the retailer and the id. */
export type AggregateDocument = Aggregate & Document & { readonly _id: string };

/**
 * Saves a record together with the events that its change caused, and waits for the event to be out before it returns, so
 * that the read models of others are as fresh as can be when the caller gets its answer.
 */
export class Aggregates<D extends AggregateDocument, R extends { readonly version: number }> {
  private readonly changes: VersionedChanges<D, R>;

  constructor(
    private readonly collection: Collection<D>,
    private readonly relay: Pick<Relay<D, string>, 'nudge' | 'flush'>,
    private readonly shape: Shape<D, R>,
  ) {
    this.changes = new VersionedChanges<D, R>({
      collection,
      stateOf: (document) => shape.recordOf(document as unknown as D),
      updateOf: (record) => ({ $set: shape.documentOf(record) }) as unknown as UpdateFilter<D>,
      saved: (id, items) => this.publish(id, items),
    });
  }

  /** @throws MongoServerError for a duplicate key, see `isDuplicateKey` */
  async insert(id: string, record: R, events: readonly PrintedEvent[], signal: AbortSignal): Promise<void> {
    const items = events.map((event) => outboxItem(event));
    const document = {
      ...this.shape.documentOf(record),
      _id: id,
      version: record.version,
      outbox: items,
    } as unknown as OptionalUnlessRequiredId<D>;
    await this.collection.insertOne(document, { signal });
    await this.publish(id, items);
  }

  /**
   * @param decide pure; may run again. The same object means that nothing changes; otherwise the version is one higher.
   * @returns undefined when the retailer has no such record
   */
  update(
    retailer: string,
    id: string,
    decide: (current: R) => R,
    eventOf: (next: R, current: R) => PrintedEvent,
    signal: AbortSignal,
  ): Promise<R | undefined> {
    return this.changes.change(id, {
      retailer,
      signal,
      decide: (current) => {
        const state = decide(current);
        return { state, outbox: state === current ? [] : [outboxItem(eventOf(state, current))] };
      },
    });
  }

  private async publish(id: string, items: readonly OutboxItem[]): Promise<void> {
    this.relay.nudge([{ _id: id, items }]);
    await this.relay.flush([id]);
  }
}
