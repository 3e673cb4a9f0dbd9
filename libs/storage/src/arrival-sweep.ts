import type { Lease } from './lease';
import type { Marks } from './marks';
import type { Place } from './place';

/** The last number of a retailer. */
export interface Head {
  readonly retailer: string;
  readonly last: number;
}

export interface ArrivalSweepOptions<D> {
  readonly marks: Marks;
  readonly heads: () => Promise<readonly Head[]>;
  readonly readAfter: (retailer: string, seq: number, countMax: number) => Promise<readonly D[]>;
  readonly placeOf: (document: D) => Place;
  readonly lease: Lease;
  readonly stillAfterMs: number;
  readonly now: () => number;
  /** This process is about to publish it. */
  readonly isInHand: (retailer: string, seq: number) => boolean;
  /** This process knows that it is out. */
  readonly isPublished: (retailer: string, seq: number) => boolean;
  /** True for each document of which all events are out. */
  readonly send: (documents: readonly D[]) => Promise<readonly boolean[]>;
  readonly moved: (retailer: string, upTo: number) => void;
}

const pageDocumentsMax = 200;
/** Of one retailer in one sweep; the next sweep goes on. */
const pagesMax = 100;
const backOffFirstMs = 1_000;
const backOffMaxMs = 60_000;

/** A mark that somebody should have moved. */
interface Standing {
  readonly upTo: number;
  readonly failures: number;
  readonly notBefore: number;
}

/** Publishes what is above marks that stand still: its writer is dead, or could not reach the broker. */
export class ArrivalSweep<D> {
  private readonly standing = new Map<string, Standing>();

  constructor(private readonly options: ArrivalSweepOptions<D>) {}

  /** @returns how many documents were published */
  async run(): Promise<number> {
    const { heads, marks, lease } = this.options;
    const found = await heads();
    const upTos = await marks.read(found.map(({ retailer }) => retailer));
    const due: (readonly [string, number])[] = [];
    for (const { retailer, last } of found) {
      const upTo = upTos.get(retailer) ?? 0;
      this.options.moved(retailer, upTo);
      if (last <= upTo) this.standing.delete(retailer);
      else if (this.isDue(retailer, upTo)) due.push([retailer, upTo]);
    }
    // Whoever finds nothing takes no lease, so an idle platform writes nothing.
    if (due.length === 0 || !(await lease.acquire())) return 0;
    let count = 0;
    for (const [retailer, upTo] of due) count += await this.publishAbove(retailer, upTo);
    return count;
  }

  private isDue(retailer: string, upTo: number): boolean {
    const { now, stillAfterMs } = this.options;
    const known = this.standing.get(retailer);
    if (known?.upTo !== upTo) {
      this.standing.set(retailer, { upTo, failures: 0, notBefore: now() + stillAfterMs });
      return stillAfterMs === 0;
    }
    return now() >= known.notBefore;
  }

  private async publishAbove(retailer: string, mark: number): Promise<number> {
    const { readAfter, placeOf, lease, marks } = this.options;
    let after = mark;
    let count = 0;
    for (let page = 0; page < pagesMax; page++) {
      const documents = await readAfter(retailer, after, pageDocumentsMax);
      if (documents.length === 0) return count;
      const { upTo, sent } = await this.publishPage(retailer, documents, after);
      count += sent;
      if (upTo > after) {
        // The page was read in order from the mark on, so it covers numbers that nobody has.
        const moved = await marks.move([{ retailer, from: after + 1, to: upTo }]);
        this.options.moved(retailer, moved.get(retailer) ?? 0);
      }
      const last = documents.at(-1);
      if (last === undefined || upTo < placeOf(last).seq) {
        this.backOff(retailer, upTo);
        return count;
      }
      after = upTo;
      if (documents.length < pageDocumentsMax || !(await lease.acquire())) return count;
    }
    return count;
  }

  /** Gives the last number up to which everything is out. */
  private async publishPage(
    retailer: string,
    documents: readonly D[],
    after: number,
  ): Promise<{ readonly upTo: number; readonly sent: number }> {
    const { placeOf, isInHand, isPublished, send } = this.options;
    const seqs = documents.map((document) => placeOf(document).seq);
    const wanted = documents.filter((_document, i) => {
      const seq = seqs[i] as number;
      return !isPublished(retailer, seq) && !isInHand(retailer, seq);
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

  private backOff(retailer: string, upTo: number): void {
    const { now } = this.options;
    const failures = (this.standing.get(retailer)?.failures ?? 0) + 1;
    const delayMs = Math.min(backOffMaxMs, backOffFirstMs * 2 ** (failures - 1));
    this.standing.set(retailer, { upTo, failures, notBefore: now() + delayMs });
  }
}
