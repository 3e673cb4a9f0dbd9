import type { Lease } from './lease';
import type { WatermarkDocument, Watermarks } from './watermarks';
import type { SequencePosition } from './sequence-position';

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
  readonly stillAfterMs: number;
  readonly now: () => number;
  /** Whether this process is about to publish the document. */
  readonly isInFlight: (retailer: string, seq: number) => boolean;
  /** Whether the document's events are known to be published, by any process. */
  readonly isPublished: (retailer: string, seq: number) => boolean;
  /** Publishes documents; true for each one whose events were all published. */
  readonly send: (documents: readonly D[]) => Promise<readonly boolean[]>;
  /** Adopts the state of the given watermarks. */
  readonly learn: (watermarks: Iterable<WatermarkDocument>) => void;
}

const pageDocumentsMax = 200;
/** Per retailer and sweep; the next sweep continues. */
const pagesMax = 100;
const backOffFirstMs = 1_000;
const backOffMaxMs = 60_000;

/** A watermark that is behind its head although it should have moved. */
interface Standing {
  readonly upTo: number;
  /**
   * The head when the watermark was first seen standing still. Later documents may still be published by their writers.
   */
  readonly last: number;
  readonly failures: number;
  readonly notBefore: number;
}

/**
 * Publishes the documents above watermarks that do not move, because their writer has died or could not reach the broker.
 */
export class CreatedEventSweep<D> {
  private readonly standing = new Map<string, Standing>();

  constructor(private readonly options: CreatedEventSweepOptions<D>) {}

  /** @returns the number of published documents */
  async run(): Promise<number> {
    const { heads, watermarks, lease } = this.options;
    const found = await heads();
    const known = await watermarks.read(found.map(({ retailer }) => retailer));
    this.options.learn(known.values());
    const due: (readonly [string, Standing])[] = [];
    for (const { retailer, last } of found) {
      const upTo = known.get(retailer)?.upTo ?? 0;
      if (last <= upTo) this.standing.delete(retailer);
      else {
        const standing = this.standingAt(retailer, upTo, last);
        if (this.options.now() >= standing.notBefore) due.push([retailer, standing]);
      }
    }
    // A process that finds nothing due does not acquire the lease, so an idle platform writes nothing.
    if (due.length === 0 || !(await lease.acquire())) return 0;
    let count = 0;
    for (const [retailer, standing] of due) count += await this.publishAbove(retailer, standing);
    return count;
  }

  private standingAt(retailer: string, upTo: number, last: number): Standing {
    const { now, stillAfterMs } = this.options;
    const known = this.standing.get(retailer);
    if (known?.upTo === upTo) return known;
    const standing = { upTo, last, failures: 0, notBefore: now() + stillAfterMs };
    this.standing.set(retailer, standing);
    return standing;
  }

  private async publishAbove(retailer: string, { upTo: watermark, last }: Standing): Promise<number> {
    const { readAfter, positionOf, lease, watermarks } = this.options;
    let after = watermark;
    let count = 0;
    for (let page = 0; page < pagesMax; page++) {
      const read = await readAfter(retailer, after, pageDocumentsMax);
      const documents = read.filter((document) => positionOf(document).seq <= last);
      const end = documents.at(-1);
      if (end === undefined) return count;
      const { upTo, sent } = await this.publishPage(retailer, documents, after);
      count += sent;
      if (upTo > after) {
        // The page was read in order from the watermark, so the range also covers unassigned numbers.
        const moved = await watermarks.move(new Map([[retailer, [{ from: after + 1, to: upTo }]]]));
        this.options.learn(moved.values());
      }
      if (upTo < positionOf(end).seq) {
        this.backOff(retailer, { upTo, last });
        return count;
      }
      after = upTo;
      if (documents.length < pageDocumentsMax || !(await lease.acquire())) return count;
    }
    return count;
  }

  /** Returns the last number up to which everything has been published. */
  private async publishPage(
    retailer: string,
    documents: readonly D[],
    after: number,
  ): Promise<{ readonly upTo: number; readonly sent: number }> {
    const { positionOf, isInFlight, isPublished, send } = this.options;
    const seqs = documents.map((document) => positionOf(document).seq);
    const wanted = documents.filter((_document, i) => {
      const seq = seqs[i] as number;
      return !isPublished(retailer, seq) && !isInFlight(retailer, seq);
    });
    const outcomes = wanted.length > 0 ? await send(wanted) : [];
    const sent = outcomes.filter(Boolean).length;
    let upTo = after;
    for (const seq of seqs) {
      if (!isPublished(retailer, seq)) break;
      upTo = seq;
    }
    return { upTo, sent };
  }

  private backOff(retailer: string, stuck: Pick<Standing, 'upTo' | 'last'>): void {
    const { now } = this.options;
    const failures = (this.standing.get(retailer)?.failures ?? 0) + 1;
    const delayMs = Math.min(backOffMaxMs, backOffFirstMs * 2 ** (failures - 1));
    this.standing.set(retailer, { ...stuck, failures, notBefore: now() + delayMs });
  }
}
