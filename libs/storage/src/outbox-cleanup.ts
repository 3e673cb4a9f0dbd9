import type { Collection, Document } from 'mongodb';
import { BatchScheduler } from '@receipts/concurrency';
import { type Log } from '@receipts/kernel';
import type { OutboxItem, WithOutbox } from './outbox';

/** Removing an item a little later costs nothing. */
const batchWindowMs = 20;
const batchDocumentsMax = 1_000;
/**
 * The number of published items to remember; a writer that read its document before they were published finishes long
 * before they are dropped.
 */
const rememberedMax = 20_000;

/** Published items of a document that are still in its outbox. */
interface Due {
  readonly id: string;
  readonly itemIds: readonly string[];
}

/** Removes published items from their documents by item id, with one update for many documents. */
export class OutboxCleanup<D extends Document & WithOutbox> {
  /** The ids of published items, oldest first. */
  private readonly published = new Set<string>();
  private readonly due: Due[] = [];
  private readonly scheduler = new BatchScheduler<Due>({
    waitingCount: () => this.due.length,
    take: () => this.due.splice(0, batchDocumentsMax),
    run: (batch) => (this.removing = this.remove(batch)),
    concurrency: 1,
    batchWindowMs,
  });
  private removing = Promise.resolve();
  private addedCount = 0;
  /** How many have been removed or have failed. */
  private doneCount = 0;
  /**
   * The collection with its ids typed as strings; they are only compared here, so their actual type does not matter.
   */
  private readonly documents: Collection<{ _id: string; outbox: OutboxItem[] }>;

  constructor(
    collection: Collection<D>,
    private readonly log: Log,
  ) {
    this.documents = collection as unknown as typeof this.documents;
  }

  /** The number of documents from which items are still to be removed. */
  get size(): number {
    return this.addedCount - this.doneCount;
  }

  /** The items that have not been published yet. A document that was read earlier may still list the others. */
  unpublished(items: readonly OutboxItem[]): readonly OutboxItem[] {
    return items.filter(({ id }) => !this.published.has(id));
  }

  add(id: D['_id'], items: readonly { readonly id: string }[]): void {
    if (items.length === 0) return;
    const itemIds = items.map((item) => item.id);
    for (const itemId of itemIds) this.published.add(itemId);
    for (const oldest of this.published) {
      if (this.published.size <= rememberedMax) break;
      this.published.delete(oldest);
    }
    this.due.push({ id, itemIds });
    this.addedCount++;
    this.scheduler.schedule();
  }

  /** Removes the items immediately. Resolves when everything added before has been removed or has failed. */
  async run(): Promise<void> {
    const target = this.addedCount;
    while (this.doneCount < target) {
      this.scheduler.startNow();
      await this.removing;
    }
  }

  private async remove(batch: readonly Due[]): Promise<void> {
    const ids = [...new Set(batch.map(({ id }) => id))];
    const itemIds = batch.flatMap((one) => one.itemIds);
    try {
      const pull = { $pull: { outbox: { id: { $in: itemIds } } } };
      await this.documents.updateMany({ _id: { $in: ids } }, pull);
    } catch (error) {
      // The sweep finds these items again.
      this.log.warn('could not clear the outbox', { collection: this.documents.collectionName, error });
    }
    this.doneCount += batch.length;
  }
}
