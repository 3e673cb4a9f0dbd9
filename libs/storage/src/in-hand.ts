import type { OutboxItem } from './outbox';

/** One item on its way. */
export interface Pending<D, Id> {
  readonly id: Id;
  readonly item: OutboxItem;
  /** The document, where the writer gave it along. */
  readonly document: D | undefined;
  readonly bytes: number;
}

export interface InHandLimits {
  readonly itemsMax: number;
  readonly bytesMax: number;
}

interface PendingFlush {
  readonly items: Set<string>;
  readonly done: () => void;
}

/** The items that this process is publishing or clearing at the moment, within bounds; the sweeper leaves them alone. */
export class InHand<D, Id> {
  private readonly held = new Set<string>();
  private bytes = 0;
  /** Items that are neither confirmed nor given up, with their documents. */
  private readonly unsettled = new Map<string, Id>();
  private pendingFlushes: PendingFlush[] = [];
  private refused = 0;
  private leftSinceWatch: Set<string> | undefined;

  constructor(private readonly limits: InHandLimits) {}

  get size(): number {
    return this.held.size;
  }

  /** False when the item is here already or does not fit. */
  take(pending: Pending<D, Id>): boolean {
    const { item, bytes } = pending;
    if (this.held.has(item.id)) return false;
    if (this.held.size >= this.limits.itemsMax || this.bytes + bytes > this.limits.bytesMax) {
      this.refused++;
      return false;
    }
    this.hold(pending);
    return true;
  }

  /** Takes an item whatever the bounds, as the caller has bounds of its own. */
  hold({ id, item, bytes }: Pending<D, Id>): void {
    this.held.add(item.id);
    this.bytes += bytes;
    this.unsettled.set(item.id, id);
  }

  /** The items are confirmed or given up: who waits for that goes on. */
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
   * Gives a test for items that are in hand or have been since this call: what was read from the database in the meantime
   * may show them as pending although they are out. One watch at a time.
   */
  watch(): { isTaken(itemId: string): boolean; end(): void } {
    const left = new Set<string>();
    this.leftSinceWatch = left;
    return {
      isTaken: (itemId) => this.held.has(itemId) || left.has(itemId),
      end: () => (this.leftSinceWatch = undefined),
    };
  }

  /** Resolves when what is unsettled now is settled, and after `timeoutMs` at the latest. */
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

  /** How many items did not fit since the last time that somebody asked. */
  takeRefusedCount(): number {
    const count = this.refused;
    this.refused = 0;
    return count;
  }
}
