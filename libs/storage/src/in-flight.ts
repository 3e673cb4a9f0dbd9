import type { OutboxItem } from './outbox';

/** An outbox item in flight. */
export interface Pending<D, Id> {
  readonly id: Id;
  readonly item: OutboxItem;
  /** The document, if the writer passed it. */
  readonly document: D | undefined;
  readonly bytes: number;
}

export interface InFlightLimits {
  readonly itemsMax: number;
  readonly bytesMax: number;
}

interface PendingFlush {
  readonly items: Set<string>;
  readonly done: () => void;
}

/** How many removed items are remembered; a writer that has read its document before them is done long before. */
const removedMax = 20_000;

/** The items that this process is publishing or clearing, within limits. The sweep skips them. */
export class InFlight<D, Id> {
  private readonly held = new Set<string>();
  /** Items that were published and removed from their document, the oldest first. */
  private readonly removed = new Set<string>();
  private bytes = 0;
  /** The document ids of items that are neither confirmed nor given up, by item id. */
  private readonly unsettled = new Map<string, Id>();
  private pendingFlushes: PendingFlush[] = [];
  private refused = 0;
  private leftSinceWatch: Set<string> | undefined;

  constructor(private readonly limits: InFlightLimits) {}

  get size(): number {
    return this.held.size;
  }

  /** False when the item is already in flight, has been published, or exceeds the limits. */
  take(pending: Pending<D, Id>): boolean {
    const { item, bytes } = pending;
    if (this.held.has(item.id) || this.removed.has(item.id)) return false;
    if (this.held.size >= this.limits.itemsMax || this.bytes + bytes > this.limits.bytesMax) {
      this.refused++;
      return false;
    }
    this.hold(pending);
    return true;
  }

  /** Adds an item regardless of the limits, for a caller that has limits of its own. */
  hold({ id, item, bytes }: Pending<D, Id>): void {
    this.held.add(item.id);
    this.bytes += bytes;
    this.unsettled.set(item.id, id);
  }

  /** Watermarks items as confirmed or given up, and resolves the flushes that waited for them. */
  settle(batch: readonly Pending<D, Id>[]): void {
    for (const { item } of batch) this.unsettled.delete(item.id);
    if (this.pendingFlushes.length === 0) return;
    this.pendingFlushes = this.pendingFlushes.filter(({ items, done }) => {
      for (const { item } of batch) items.delete(item.id);
      if (items.size > 0) return true;
      done();
      return false;
    });
  }

  letGo({ item, bytes }: Pending<D, Id>): void {
    if (!this.held.delete(item.id)) return;
    this.bytes -= bytes;
    this.leftSinceWatch?.add(item.id);
  }

  /**
   * Lets go of an item that was removed from its document. A writer that read the document before may still list it as
   * pending; it is not published again.
   */
  complete(pending: Pending<D, Id>): void {
    this.letGo(pending);
    this.removed.add(pending.item.id);
    if (this.removed.size <= removedMax) return;
    for (const oldest of this.removed) {
      this.removed.delete(oldest);
      return;
    }
  }

  /**
   * Returns a test for items that are in flight or have been since this call. A document that was read in the
   * meantime may still list such an item as pending although it has been published. There can be only one
   * watch at a time.
   */
  watch(): { isTaken(itemId: string): boolean; end(): void } {
    const left = new Set<string>();
    this.leftSinceWatch = left;
    return {
      isTaken: (itemId) => this.held.has(itemId) || left.has(itemId),
      end: () => (this.leftSinceWatch = undefined),
    };
  }

  /** Resolves when the items that are unsettled now have been settled, or after `timeoutMs`. */
  whenSettled(ids: readonly Id[] | undefined, timeoutMs: number): Promise<void> {
    const wanted = ids && new Set(ids.map(String));
    const items = new Set<string>();
    for (const [itemId, id] of this.unsettled) if (!wanted || wanted.has(String(id))) items.add(itemId);
    if (items.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.pendingFlushes = this.pendingFlushes.filter((candidate) => candidate !== pending);
        resolve();
      }, timeoutMs).unref();
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      const pending: PendingFlush = { items, done };
      this.pendingFlushes.push(pending);
    });
  }

  /** The number of items refused by the limits since the last call. */
  takeRefusedCount(): number {
    const count = this.refused;
    this.refused = 0;
    return count;
  }
}
