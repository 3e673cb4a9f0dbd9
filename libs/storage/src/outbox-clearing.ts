import type { Collection, Document } from 'mongodb';
import type { Pending } from './in-flight';
import type { OutboxItem, WithOutbox } from './outbox';

/** Items are cleared in batches, because clearing an outbox a little later costs nothing. */
const clearAfterMs = 20;
const clearItemsMax = 1_000;

export interface ClearingOptions<D extends Document & WithOutbox> {
  readonly collection: Collection<D>;
  /** Called for each item that was removed from its document. */
  removed(pending: Pending<D, D['_id']>): void;
  /** Called for each item that could not be removed: the sweep publishes it again. */
  left(pending: Pending<D, D['_id']>): void;
  failed(error: unknown): void;
}

/** Removes confirmed items from their documents by item id, with one update for many documents. */
export class OutboxClearing<D extends Document & WithOutbox> {
  private readonly confirmed: Pending<D, D['_id']>[] = [];
  private timer: NodeJS.Timeout | undefined;
  private clearing: Promise<void> = Promise.resolve();

  /**
   * The collection with its ids typed as strings; they are only compared here, so their actual type does not matter.
   */
  private readonly documents: Collection<{ _id: string; outbox: OutboxItem[] }>;

  constructor(private readonly options: ClearingOptions<D>) {
    this.documents = options.collection as unknown as typeof this.documents;
  }

  add(batch: readonly Pending<D, D['_id']>[]): void {
    for (const pending of batch) this.confirmed.push(pending);
    if (this.confirmed.length >= clearItemsMax) void this.now();
    else if (this.confirmed.length > 0) this.timer ??= setTimeout(() => void this.now(), clearAfterMs);
  }

  /** Clears at once. Resolves when everything that was added before has been cleared or has failed. */
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
        const itemIds = batch.map(({ item }) => item.id);
        await this.documents.updateMany(
          { _id: { $in: ids } },
          { $pull: { outbox: { id: { $in: itemIds } } } },
        );
        for (const pending of batch) this.options.removed(pending);
      } catch (error) {
        // Delivery is at least once.
        this.options.failed(error);
        for (const pending of batch) this.options.left(pending);
      }
    }
  }
}
