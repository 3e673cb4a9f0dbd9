import type { Sale, TotalsBucket } from './sale';
import { readSums, Sums } from './sums';
import { TillNumbers } from './till-numbers';

/** The sums of a bucket, with the times of its first and last receipt. */
export class BucketSums {
  readonly sums: Sums;
  first: string | null;
  last: string | null;
  /** True if the first or last receipt may have been removed, so that both have to be looked up. */
  hasLostBound = false;

  private constructor(
    readonly bucket: TotalsBucket,
    { sums, first, last }: { sums: Sums; first: string | null; last: string | null },
    /** The numbers of the till, of which none is removed when its receipt is. */
    readonly numbers: TillNumbers,
  ) {
    this.sums = sums;
    this.first = first;
    this.last = last;
  }

  static empty(bucket: TotalsBucket): BucketSums {
    return new BucketSums(bucket, { sums: new Sums(), first: null, last: null }, TillNumbers.empty());
  }

  static read(text: string): BucketSums {
    const { bucket, first, last, sums, numbers } = JSON.parse(text) as {
      bucket: TotalsBucket;
      first: string | null;
      last: string | null;
      sums: ReturnType<Sums['printed']>;
      numbers?: ReturnType<TillNumbers['printed']>;
    };
    const read = numbers ? TillNumbers.read(numbers) : TillNumbers.empty();
    return new BucketSums(bucket, { first, last, sums: readSums(sums) }, read);
  }

  print(): string {
    const { bucket, first, last, numbers } = this;
    return JSON.stringify({
      bucket,
      first,
      last,
      sums: this.sums.printed(),
      ...(!numbers.isEmpty && { numbers: numbers.printed() }),
    });
  }

  add({ sums, at }: Sale): void {
    this.sums.add(sums);
    if (at === null) return;
    if (this.first === null || at < this.first) this.first = at;
    if (this.last === null || at > this.last) this.last = at;
  }

  /** Counts the number of a receipt on its arrival. Whatever becomes of the receipt, its till has sent it. */
  receive({ tillNumber }: Sale): void {
    if (tillNumber) this.numbers.add(tillNumber);
  }

  subtract({ sums, at }: Sale): void {
    this.sums.subtract(sums);
    if (at !== null && (at === this.first || at === this.last)) this.hasLostBound = true;
  }
}
