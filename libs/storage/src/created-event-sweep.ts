import type { Lease } from './lease';
import type { Watermarks } from './watermarks';

/** A document with its number in its retailer's order of arrival. No lower number can appear later. */
export interface NumberedDocument {
  readonly retailer: string;
  readonly arrival: number;
}

/** The last assigned number of a retailer. */
export interface Head {
  readonly retailer: string;
  readonly last: number;
}

export interface CreatedEventSweepOptions<D extends NumberedDocument> {
  readonly watermarks: Watermarks;
  /** The next retailers in an iteration over all of them, see `headPages` of the relay. */
  readonly nextHeads: () => Promise<readonly Head[]>;
  readonly readAfter: (retailer: string, arrival: number, countMax: number) => Promise<readonly D[]>;
  readonly lease: Lease;
  readonly stalledAfterMs: number;
  readonly now: () => number;
  /** Publishes documents, and adds the confirmed documents to the watermarks. */
  readonly publish: (documents: readonly D[]) => Promise<void>;
}

const pageDocumentsMax = 200;
/** The limit per retailer and sweep; the next sweep continues. */
const pagesMax = 100;

/** A watermark that is behind its head although it should have moved. */
interface Stalled {
  readonly upTo: number;
  /** The head when the watermark was first seen here. Later documents may still be published by their writers. */
  readonly last: number;
  readonly since: number;
}

/**
 * Publishes the documents above watermarks that do not move, because their writer has crashed or could not reach the
 * broker.
 */
export class CreatedEventSweep<D extends NumberedDocument> {
  private readonly stalled = new Map<string, Stalled>();

  constructor(private readonly options: CreatedEventSweepOptions<D>) {}

  /** @returns the number of published documents */
  async run(): Promise<number> {
    const { nextHeads, watermarks, lease } = this.options;
    const found = await nextHeads();
    const known = await watermarks.readOrCreate(found.map(({ retailer }) => retailer));
    const due = found.flatMap((head) => this.stalledAt(head, known.get(head.retailer)?.upTo ?? 0) ?? []);
    // A process that finds nothing due does not acquire the lease, so an idle platform writes nothing.
    if (due.length === 0 || !(await lease.acquire())) return 0;
    let count = 0;
    for (const head of due) count += await this.publishAbove(head);
    return count;
  }

  /** Undefined if the watermark moves, or has not been unchanged for long enough. */
  private stalledAt({ retailer, last }: Head, upTo: number): (Head & { readonly upTo: number }) | undefined {
    const { now, stalledAfterMs } = this.options;
    if (last <= upTo) {
      this.stalled.delete(retailer);
      return undefined;
    }
    let stalled = this.stalled.get(retailer);
    if (stalled?.upTo !== upTo) {
      stalled = { upTo, last, since: now() };
      this.stalled.set(retailer, stalled);
    }
    if (now() < stalled.since + stalledAfterMs) return undefined;
    return { retailer, last: stalled.last, upTo };
  }

  /** Stops at the first unconfirmed document; the next sweep resumes there. */
  private async publishAbove({ retailer, last, upTo }: Head & { readonly upTo: number }): Promise<number> {
    const { readAfter, lease, watermarks, publish } = this.options;
    const isLeft = ({ arrival }: D) => !watermarks.isCompleted(retailer, arrival);
    let after = upTo;
    let count = 0;
    for (let page = 0; page < pagesMax; page++) {
      const read = await readAfter(retailer, after, pageDocumentsMax);
      const documents = read.filter(({ arrival }) => arrival <= last);
      const left = documents.filter(isLeft);
      await publish(left);
      count += left.length - left.filter(isLeft).length;
      const firstLeft = documents.findIndex(isLeft);
      const end = documents.at(firstLeft === -1 ? -1 : firstLeft - 1);
      if (firstLeft === 0 || end === undefined) return count;
      // The page was read in order from the watermark, so the range also covers unassigned numbers.
      watermarks.add(retailer, after + 1, end.arrival);
      await watermarks.save();
      after = end.arrival;
      const isLastPage = firstLeft !== -1 || documents.length < pageDocumentsMax;
      if (isLastPage || !(await lease.acquire())) return count;
    }
    return count;
  }
}
