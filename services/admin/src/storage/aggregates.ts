import { ServiceError, unavailable, type CloudEvent } from '@receipts/kernel';
import {
  isDuplicateKey,
  outboxItem,
  outboxItemsMax,
  updateVersioned,
  type Aggregate,
  type OutboxItem,
  type Relay,
} from '@receipts/storage';
import type { Collection, Document, OptionalUnlessRequiredId, WithId } from 'mongodb';

/** How a record is kept. */
export interface Shape<D, R> {
  /** Everything but `_id`, `version` and `outbox`. */
  readonly documentOf: (record: R) => Omit<D, '_id' | 'version' | 'outbox'>;
  readonly recordOf: (document: D) => R;
}

/** What every document here has. `_id` is made of the retailer and the id. */
export type AggregateDocument = Aggregate & Document & { readonly _id: string };

/** A change that somebody waits for. */
interface Change<R> {
  readonly decide: (current: R) => R;
  readonly eventOf: (next: R, current: R) => CloudEvent;
  readonly signal: AbortSignal;
  readonly resolve: (saved: R | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** How long the events of earlier changes get to leave a document that is full of them, before it is looked at again. */
const fullOutboxDelayMs = 20;

/**
 * Saves a record together with the event that its change caused, and waits for the event to be out before it returns, so
 * that the read models of others are as fresh as can be when the caller gets its answer.
 *
 * Changes of one record that come at the same time are decided one after another and saved in one write, each with a
 * version and an event of its own: a hundred simultaneous writers then need seven writes instead of losing a race each.
 * Between processes compare-and-set on the version decides.
 */
export class Aggregates<D extends AggregateDocument, R extends { readonly version: number }> {
  private readonly waiting = new Map<string, Change<R>[]>();

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
   * @param decide pure; may run again. The same object means that nothing changes; otherwise the version is one higher.
   * @returns undefined when the retailer has no such record
   */
  update(
    retailer: string,
    id: string,
    decide: Change<R>['decide'],
    eventOf: Change<R>['eventOf'],
    signal: AbortSignal,
  ): Promise<R | undefined> {
    return new Promise((resolve, reject) => {
      const change = { decide, eventOf, signal, resolve, reject };
      const queue = this.waiting.get(id);
      if (queue) queue.push(change);
      else {
        const begun = [change];
        this.waiting.set(id, begun);
        void this.work(retailer, id, begun);
      }
    });
  }

  private async work(retailer: string, id: string, queue: Change<R>[]): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.splice(0, outboxItemsMax);
      const left = await this.saveTogether(retailer, id, batch);
      queue.unshift(...left);
      if (left.length === batch.length)
        await new Promise((resolve) => setTimeout(resolve, fullOutboxDelayMs));
    }
    this.waiting.delete(id);
  }

  /** Settles the changes of a batch and gives those for which the outbox had no room. Never rejects. */
  private async saveTogether(
    retailer: string,
    id: string,
    batch: readonly Change<R>[],
  ): Promise<readonly Change<R>[]> {
    const changes = batch.filter(({ signal }) => !signal.aborted);
    for (const late of batch) if (!changes.includes(late)) late.reject(new ServiceError(unavailable));
    const patient = changes.at(-1);
    if (!patient) return [];
    try {
      const saved = await updateVersioned<D, Decided>({
        collection: this.collection,
        retailer,
        id: id,
        signal: patient.signal,
        decide: (document) => this.decideAll(changes, document),
      });
      if (!saved) {
        for (const change of changes) change.resolve(undefined);
        return [];
      }
      await this.publish(id, saved.items);
      for (const settle of saved.settlements) settle();
      return changes.slice(saved.settlements.length);
    } catch (error) {
      if (isDuplicateKey(error) && changes.length > 1) {
        // One of them takes what another record has; each by itself shows which.
        for (const change of changes) await this.saveTogether(retailer, id, [change]);
      } else for (const change of changes) change.reject(error);
      return [];
    }
  }

  private decideAll(changes: readonly Change<R>[], document: WithId<D>) {
    const pendingCount = (document as Aggregate).outbox?.length ?? 0;
    const room = outboxItemsMax - pendingCount;
    const items: OutboxItem[] = [];
    const settlements: (() => void)[] = [];
    let record = this.shape.recordOf(document as unknown as D);
    for (const { decide, eventOf, resolve, reject } of changes) {
      if (items.length >= room) break;
      try {
        const next = decide(record);
        if (next !== record) items.push(outboxItem(eventOf(next, record)));
        record = next;
        settlements.push(() => resolve(next));
      } catch (error) {
        settlements.push(() => reject(error));
      }
    }
    const result = { items, settlements };
    if (items.length === 0) return { result };
    const $set = this.shape.documentOf(record) as never;
    return { update: { $set }, outbox: items, versions: items.length, result };
  }

  private async publish(id: string, items: readonly OutboxItem[]): Promise<void> {
    if (items.length === 0) return;
    this.relay.nudge([{ _id: id, items }]);
    await this.relay.flush([id]);
  }
}

/** What was decided about the changes of a batch: their events, and how each of them ends once it is saved. */
interface Decided {
  readonly items: readonly OutboxItem[];
  readonly settlements: readonly (() => void)[];
}
