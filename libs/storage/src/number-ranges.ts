export interface NumberRange {
  readonly from: number;
  readonly to: number;
}

/** The maximum number of ranges. If there are more, another process is far behind, and the highest range is dropped. */
const rangesMax = 1_000;

/**
 * The processed numbers of one retailer's order of arrival (their events are published or received), as ascending
 * ranges.
 */
export class NumberRanges {
  private readonly ranges: NumberRange[] = [];

  /** Adds all numbers of a range. Dropping a range is safe: unknown numbers are processed again. */
  add(from: number, to = from): void {
    const at = this.firstEndingFrom(from - 1);
    let end = at;
    while ((this.ranges[end]?.from ?? Infinity) <= to + 1) end++;
    const [first, last] = [this.ranges[at], this.ranges[end - 1]];
    const range =
      first && last && end > at
        ? { from: Math.min(from, first.from), to: Math.max(to, last.to) }
        : { from, to };
    this.ranges.splice(at, end - at, range);
    if (this.ranges.length > rangesMax) this.ranges.pop();
  }

  has(number: number): boolean {
    const range = this.ranges[this.firstEndingFrom(number)];
    return range !== undefined && range.from <= number;
  }

  /** The lowest range, which is the only one that can move the watermark next. */
  get lowest(): NumberRange | undefined {
    return this.ranges[0];
  }

  get all(): readonly NumberRange[] {
    return this.ranges;
  }

  /** Drops the numbers that the watermark already covers. */
  dropUpTo(watermark: number): void {
    this.ranges.splice(0, this.firstEndingFrom(watermark + 1));
    const [lowest] = this.ranges;
    if (lowest && lowest.from <= watermark) this.ranges[0] = { from: watermark + 1, to: lowest.to };
  }

  /** The index of the first range that ends at `number` or later. */
  private firstEndingFrom(number: number): number {
    // Numbers are nearly always added at or after the last range.
    let low = 0;
    let high = this.ranges.length;
    const last = this.ranges[high - 1];
    if (last && last.to < number) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.ranges[middle] as NumberRange).to < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
