/** The till's own number of a receipt, and when the receipt was sold, in milliseconds. */
export interface TillNumber {
  readonly number: number;
  readonly at: number;
}

/** An inclusive range of numbers. */
export type NumberRange = readonly [from: number, to: number];

/** Numbers between two restarts of a till. */
interface Run {
  /** The times of its first and last receipt. */
  start: number;
  end: number;
  /** The numbers of its first and last receipt. */
  first: number;
  last: number;
  /** How many receipts it has. */
  received: number;
  /** The numbers received, ascending and apart. */
  ranges: NumberRange[];
}

/** A number that is lower by more than this is no late receipt: the till has begun again. */
const fallMax = 1_000;
/** The ranges that are kept for one day of a till. Beyond them, the highest gaps are forgotten. */
const rangesMax = 1_000;

/** Adds a range to others, which are ascending and apart. @returns how many of its numbers were not there */
function addRange(ranges: NumberRange[], [from, to]: NumberRange): number {
  let first = ranges.length;
  while (first > 0 && (ranges[first - 1] as NumberRange)[1] >= from - 1) first--;
  let after = first;
  let [low, high] = [from, to];
  let known = 0;
  for (; after < ranges.length; after++) {
    const [start, end] = ranges[after] as NumberRange;
    if (start > to + 1) break;
    known += Math.max(0, Math.min(end, to) - Math.max(start, from) + 1);
    low = Math.min(low, start);
    high = Math.max(high, end);
  }
  ranges.splice(first, after - first, [low, high]);
  return to - from + 1 - known;
}

/** Whether a run that follows another one is a new beginning. */
const isRestart = (before: Run, { start, first }: Pick<Run, 'start' | 'first'>) =>
  start >= before.end && first < before.last - fallMax;

/** Adds a run, or a part of one, to one that does not begin later. */
function merge(run: Run, other: Run): void {
  for (const range of other.ranges) addRange(run.ranges, range);
  run.received += other.received;
  if (other.end >= run.end) {
    run.end = other.end;
    run.last = other.last;
  }
}

const copyOf = (run: Run): Run => ({ ...run, ranges: [...run.ranges] });

/** What is said about the numbers of a till. */
export interface TillGaps {
  readonly first: number;
  readonly last: number;
  readonly received: number;
  readonly missing: readonly NumberRange[];
  readonly repeated: number;
  readonly restarts: number;
}

/**
 * The numbers that a till gave its receipts, in the order of sale. They are kept as ranges, so that a day of a till that
 * counts without gaps costs the same however many receipts it has. Late receipts find their place by their time.
 */
export class TillNumbers {
  private constructor(private readonly runs: Run[]) {}

  static empty(): TillNumbers {
    return new TillNumbers([]);
  }

  static read(runs: ReturnType<TillNumbers['printed']>): TillNumbers {
    return new TillNumbers(
      runs.map(([start, end, first, last, received, ranges]) => {
        return { start, end, first, last, received, ranges: [...ranges] };
      }),
    );
  }

  get isEmpty(): boolean {
    return this.runs.length === 0;
  }

  printed() {
    return this.runs.map(
      ({ start, end, first, last, received, ranges }) => [start, end, first, last, received, ranges] as const,
    );
  }

  add({ number, at }: TillNumber): void {
    const { runs } = this;
    const one: Run = {
      start: at,
      end: at,
      first: number,
      last: number,
      received: 1,
      ranges: [[number, number]],
    };
    let index = runs.length;
    while (index > 0 && (runs[index - 1] as Run).start > at) index--;
    const [before, after] = [runs[index - 1], runs[index]];
    if (before && !isRestart(before, one)) merge(before, one);
    else if (after && !isRestart(one, after)) {
      merge(one, after);
      runs[index] = one;
    } else runs.splice(index, 0, one);
    this.limit();
  }

  /** The numbers of several days or currencies of one till together. */
  static joined(all: readonly TillNumbers[]): TillNumbers {
    const joined: Run[] = [];
    for (const run of all.flatMap(({ runs }) => runs).sort((a, b) => a.start - b.start)) {
      const before = joined.at(-1);
      if (before && !isRestart(before, run)) merge(before, run);
      else joined.push(copyOf(run));
    }
    return new TillNumbers(joined);
  }

  /** Undefined if there are no numbers. */
  gaps(): TillGaps | undefined {
    const { runs } = this;
    const [lowest] = runs[0]?.ranges ?? [];
    const highest = runs.at(-1)?.ranges.at(-1);
    if (!lowest || !highest) return undefined;
    const sizeOf = ({ ranges }: Run) => ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0);
    return {
      first: lowest[0],
      last: highest[1],
      received: runs.reduce((sum, run) => sum + run.received, 0),
      missing: runs.flatMap(({ ranges }) =>
        ranges.slice(1).map(([from], i): NumberRange => [(ranges[i] as NumberRange)[1] + 1, from - 1]),
      ),
      repeated: runs.reduce((sum, run) => sum + Math.max(0, run.received - sizeOf(run)), 0),
      restarts: runs.length - 1,
    };
  }

  /** Numbers without any order must not make a document grow without limit. */
  private limit(): void {
    const { runs } = this;
    const count = runs.reduce((sum, { ranges }) => sum + ranges.length, 0);
    if (count <= rangesMax) return;
    const last = runs.at(-1) as Run;
    if (last.ranges.length === 1 && runs.length > 1) {
      runs.pop();
      merge(runs.at(-1) as Run, last);
      return;
    }
    const [high, low] = [last.ranges.pop() as NumberRange, last.ranges.pop() as NumberRange];
    last.ranges.push([low[0], high[1]]);
  }
}
