import type { CloudEvent } from '@receipts/kernel';
import { outboxItem, updateVersioned, type Aggregate, type OutboxItem, type Relay } from '@receipts/storage';
import type { Collection, Document, OptionalUnlessRequiredId, WithId } from 'mongodb';
import { Turns } from './turns';

/** How a record is kept. */
export interface Shape<D, R> {
  /** Everything but `_id`, `version` and `outbox`. */
  documentOf(record: R): Omit<D, '_id' | 'version' | 'outbox'>;
  recordOf(document: D): R;
}

/** What every document here has. `_id` is made of the retailer and the id. */
export type AggregateDocument = Aggregate & Document & { readonly _id: string };

/**
 * Saves a record together with the event that its change caused, and waits for the event to be out before it returns, so
 * that the read models of others are as fresh as can be when the caller gets its answer.
 */
export class Aggregates<D extends AggregateDocument, R extends { readonly version: number }> {
  private readonly turns = new Turns();

  constructor(
    private readonly collection: Collection<D>,
    private readonly relay: Pick<Relay<D, string>, 'nudge' | 'flush'>,
    private readonly shape: Shape<D, R>,
  ) {}

  /** @throws MongoServerError for a duplicate key, see `isDuplicateKey` */
  async insert(id: string, record: R, event: CloudEvent, signal: AbortSignal): Promise<void> {
    const items = [outboxItem(event)];
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
   * @param decide pure; runs again when another process was quicker. The same object means that nothing changes.
   * @returns undefined when the retailer has no such record
   */
  async update(
    retailer: string,
    id: string,
    decide: (current: R) => R,
    eventOf: (next: R, current: R) => CloudEvent,
    signal: AbortSignal,
  ): Promise<R | undefined> {
    return this.turns.take(id, async () => {
      const saved = await updateVersioned<D, { next: R; items: readonly OutboxItem[] }>({
        collection: this.collection,
        retailer,
        id: id as D['_id'],
        signal,
        decide: (document: WithId<D>) => {
          const current = this.shape.recordOf(document as unknown as D);
          const next = decide(current);
          if (next === current) return { result: { next, items: [] } };
          const items = [outboxItem(eventOf(next, current))];
          const $set = this.shape.documentOf(next) as never;
          return { update: { $set }, outbox: items, result: { next, items } };
        },
      });
      if (!saved) return undefined;
      await this.publish(id, saved.items);
      return saved.next;
    });
  }

  private async publish(id: string, items: readonly OutboxItem[]): Promise<void> {
    if (items.length === 0) return;
    this.relay.nudge([{ _id: id, items }]);
    await this.relay.flush([id]);
  }
}
