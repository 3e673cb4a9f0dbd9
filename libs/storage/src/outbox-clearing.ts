import type { Collection, Document } from 'mongodb';
import type { Pending } from './in-hand';
import type { EventItem, OutboxItem, WithOutbox } from './outbox';
import type { ToldEvents } from './told-events';

/** Items are cleared together; a document whose outbox is cleared a little later costs nothing. */
const clearAfterMs = 20;
const clearItemsMax = 1_000;

export interface ClearingOptions<D extends Document & WithOutbox> {
  readonly collection: Collection<D>;
  /** Keeps events before they are taken out; absent where they can be made again. */
  readonly told?: Pick<ToldEvents, 'keep'> | undefined;
  /** Called for each item when it is cleared, or when that has failed. */
  ended(pending: Pending<D, D['_id']>): void;
  failed(error: unknown): void;
}

/** Takes confirmed items out of their documents, by item id, in one update for many. */
export class OutboxClearing<D extends Document & WithOutbox> {
  private readonly confirmed: Pending<D, D['_id']>[] = [];
  private timer: NodeJS.Timeout | undefined;
  private clearing: Promise<void> = Promise.resolve();

  /** Whatever the ids are, they are only compared. */
  private readonly documents: Collection<{ _id: string; outbox: OutboxItem[] }>;

  constructor(private readonly options: ClearingOptions<D>) {
    this.documents = options.collection as unknown as typeof this.documents;
  }

  add(batch: readonly Pending<D, D['_id']>[]): void {
    for (const pending of batch) this.confirmed.push(pending);
    if (this.confirmed.length >= clearItemsMax) void this.now();
    else if (this.confirmed.length > 0) this.timer ??= setTimeout(() => void this.now(), clearAfterMs);
  }

  /** Clears without waiting for more. Resolves when everything that was added before is cleared or has failed. */
  now(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.clearing = this.clearing.then(() => this.clearAll());
    return this.clearing;
  }

  private async clearAll(): Promise<void> {
    while (this.confirmed.length > 0) {
      const batch = this.confirmed.splice(0, clearItemsMax);
      try {
        const ids = [...new Set(batch.map(({ id }) => id as string))];
        const events = batch
          .map(({ item }) => item)
          .filter((item): item is EventItem => item.kind === 'event');
        await this.options.told?.keep(events);
        const itemIds = batch.map(({ item }) => item.id);
        await this.documents.updateMany(
          { _id: { $in: ids } },
          { $pull: { outbox: { id: { $in: itemIds } } } },
        );
      } catch (error) {
        // They will be published once more by the sweeper: delivery is at least once.
        this.options.failed(error);
      }
      for (const pending of batch) this.options.ended(pending);
    }
  }
}
