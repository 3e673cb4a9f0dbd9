import type { Pending } from './in-flight';

type Entry<D, Id> = Pending<D, Id>;

const isEvent = <D, Id>({ item }: Entry<D, Id>) => item.kind === 'event';
const documentOf = <D, Id>({ id }: Entry<D, Id>) => String(id);

/**
 * The items that wait to be published. A document's events leave it one batch after another, so that none overtakes an
 * earlier one that is not confirmed. Commands have no order.
 */
export class DocumentQueue<D, Id> {
  private waiting: Entry<D, Id>[] = [];
  /** The documents that have events in a batch. */
  private readonly busy = new Set<string>();

  push(entry: Entry<D, Id>): void {
    this.waiting.push(entry);
  }

  take(countMax: number): Entry<D, Id>[] {
    let batch: Entry<D, Id>[] = [];
    if (this.busy.size === 0) batch = this.waiting.splice(0, countMax);
    else {
      const rest: Entry<D, Id>[] = [];
      for (const entry of this.waiting) {
        const isFree = !isEvent(entry) || !this.busy.has(documentOf(entry));
        (isFree && batch.length < countMax ? batch : rest).push(entry);
      }
      this.waiting = rest;
    }
    for (const entry of batch) if (isEvent(entry)) this.busy.add(documentOf(entry));
    return batch;
  }

  /**
   * Ends a batch.
   * @returns the waiting events of documents with an unconfirmed event; they are removed, to be published after it
   */
  end(batch: readonly Entry<D, Id>[], isConfirmed: readonly boolean[]): Entry<D, Id>[] {
    const failed = new Set<string>();
    batch.forEach((entry, i) => {
      if (!isEvent(entry)) return;
      this.busy.delete(documentOf(entry));
      if (!isConfirmed[i]) failed.add(documentOf(entry));
    });
    if (failed.size === 0) return [];
    const isLeft = (entry: Entry<D, Id>) => isEvent(entry) && failed.has(documentOf(entry));
    const left = this.waiting.filter(isLeft);
    this.waiting = this.waiting.filter((entry) => !isLeft(entry));
    return left;
  }
}

/** An event after an unconfirmed one of its document counts as unconfirmed, so that both are repeated in order. */
export function confirmedInOrder<D, Id>(
  batch: readonly Entry<D, Id>[],
  isConfirmed: readonly boolean[],
): boolean[] {
  const failed = new Set<string>();
  return batch.map((entry, i) => {
    if (!isEvent(entry)) return isConfirmed[i] === true;
    if (!isConfirmed[i]) failed.add(documentOf(entry));
    return !failed.has(documentOf(entry));
  });
}
