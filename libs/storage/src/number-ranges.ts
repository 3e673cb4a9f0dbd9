interface Range {
  from: number;
  to: number;
}

/** More gaps than this between what is known mean that somebody else is far behind; what comes after is forgotten. */
const rangesMax = 1_000;

/** Numbers in one retailer's order of arrival that are done with here: events that are out, or that were heard. In rising order. */
export class NumberRanges {
  private ranges: Range[] = [];

  /** Forgetting is harmless: what is not known to be done is done again. */
  add(seq: number): void {
    const at = this.firstEndingFrom(seq - 1);
    const range = this.ranges[at];
    if (!range || seq < range.from - 1) {
      if (this.ranges.length < rangesMax) this.ranges.splice(at, 0, { from: seq, to: seq });
      return;
    }
    if (seq >= range.from && seq <= range.to) return;
    if (seq === range.from - 1) range.from = seq;
    else {
      range.to = seq;
      const next = this.ranges[at + 1];
      if (next?.from === seq + 1) {
        range.to = next.to;
        this.ranges.splice(at + 1, 1);
      }
    }
  }

  has(seq: number): boolean {
    const range = this.ranges[this.firstEndingFrom(seq)];
    return range !== undefined && range.from <= seq;
  }

  /** The lowest range: the only one that the mark can move over next. */
  get lowest(): Readonly<Range> | undefined {
    return this.ranges[0];
  }

  /** Forgets what the mark says as well. */
  dropUpTo(mark: number): void {
    const at = this.firstEndingFrom(mark + 1);
    this.ranges.splice(0, at);
    const [lowest] = this.ranges;
    if (lowest && lowest.from <= mark) lowest.from = mark + 1;
  }

  /** The index of the first range that ends at `seq` or later. */
  private firstEndingFrom(seq: number): number {
    // What is added is nearly always next to the last range.
    let low = 0;
    let high = this.ranges.length;
    const last = this.ranges[high - 1];
    if (last && last.to < seq) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.ranges[middle] as Range).to < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
