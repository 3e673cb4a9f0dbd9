import { Backoff } from './backoff';
import type { Lease } from './lease';
import type { SequencePosition } from './sequence-position';
import type { Watermarks } from './watermarks';

/** The last assigned number of a retailer. */
export interface Head {
  readonly retailer: string;
  readonly last: number;
}

export interface CreatedEventSweepOptions<D> {
  readonly watermarks: Watermarks;
  readonly heads: () => Promise<readonly Head[]>;
  readonly readAfter: (retailer: string, seq: number, countMax: number) => Promise<readonly D[]>;
  readonly positionOf: (document: D) => SequencePosition;
  readonly lease: Lease;
  readonly stalledAfterMs: number;
  readonly now: () => number;
  /** Publishes documents that are not in flight, adds them to the watermarks, and returns how many were published. */
  readonly publish: (documents: readonly D[]) => Promise<number>;
}

const pageDocumentsMax = 200;
/** Per retailer and sweep; the next sweep continues. */
const pagesMax = 100;

/** A watermark that is behind its head although it should have moved. */
interface Stalled {
  readonly upTo: number;
  /** The head when the watermark was first seen here. Later documents may still be published by their writers. */
  readonly last: number;
  readonly since: number;
}

/**
 * Publishes the documents above watermarks that do not move, because their writer has died or could not reach the broker.
 */
export class CreatedEventSweep<D> {
  private readonly stalled = new Map<string, Stalled>();
  private readonly backoff: Backoff;

  constructor(private readonly options: CreatedEventSweepOptions<D>) {
    this.backoff = new Backoff(options.now);
  }

  /** @returns the number of published documents */
  async run(): Promise<number> {
    const { heads, watermarks, lease } = this.options;
    const found = await heads();
    const known = await watermarks.read(found.map(({ retailer }) => retailer));
    const due = found.flatMap((head) => this.stalledAt(head, known.get(head.retailer)?.upTo ?? 0) ?? []);
    // A process that finds nothing due does not acquire the lease, so an idle platform writes nothing.
    if (due.length === 0 || !(await lease.acquire())) return 0;
    let count = 0;
    for (const head of due) count += await this.publishAbove(head);
    return count;
  }

  /** Undefined when the watermark moves, has not stood still for long, or its documents have failed just now. */
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
      this.backoff.succeed(retailer);
    }
    const isDue = now() >= stalled.since + stalledAfterMs && this.backoff.isDue(retailer);
    return isDue ? { retailer, last: stalled.last, upTo } : undefined;
  }

  private async publishAbove({ retailer, last, upTo }: Head & { readonly upTo: number }): Promise<number> {
    const { readAfter, positionOf, lease, watermarks, publish } = this.options;
    let after = upTo;
    let count = 0;
    for (let page = 0; page < pagesMax; page++) {
      const read = await readAfter(retailer, after, pageDocumentsMax);
      const documents = read.filter((document) => positionOf(document).seq <= last);
      if (documents.length === 0) return count;
      const isOut = (document: D) => watermarks.isCompleted(retailer, positionOf(document).seq);
      count += await publish(documents.filter((document) => !isOut(document)));
      const firstLeft = documents.findIndex((document) => !isOut(document));
      const out = firstLeft === -1 ? documents : documents.slice(0, firstLeft);
      const end = out.at(-1);
      if (end !== undefined) {
        // The page was read in order from the watermark, so the range also covers unassigned numbers.
        watermarks.add(retailer, after + 1, positionOf(end).seq);
        await watermarks.save();
        after = positionOf(end).seq;
      }
      if (firstLeft !== -1) {
        this.stalled.set(retailer, { upTo: after, last, since: 0 });
        this.backoff.fail(retailer);
        return count;
      }
      if (documents.length < pageDocumentsMax || !(await lease.acquire())) return count;
    }
    return count;
  }
}
