/** The till's own number of a receipt, and when the receipt was sold, in milliseconds. */
export interface TillNumber {
  readonly number: number;
  readonly at: number;
}

/** An inclusive range of numbers. */
export type NumberRange = readonly [from: number, to: number];

/** Numbers between two restarts of a till, or a part of them. */
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

interface PrintedNumbers {
  readonly runs: readonly (readonly [
    start: number,
    end: number,
    first: number,
    last: number,
    received: number,
    ranges: readonly NumberRange[],
  ])[];
  /** The time of each counts from that of the one before. */
  readonly latest: readonly (readonly [since: number, number: number])[];
}

/** A number that is lower by more than this is no late receipt: the till has begun again. */
const fallMax = 1_000;
/**
 * The latest receipts of a day are kept apart, because one that is still missing among them may show that the till has
 * begun again. Earlier ones are joined, half of them at a time.
 */
const latestMax = 100;
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
const isRestart = (before: Run, { start, first }: Run) =>
  start >= before.end && first < before.last - fallMax;

/** Adds a run, or a part of one, to one that comes before it. */
function merge(run: Run, other: Run): void {
  for (const range of other.ranges) addRange(run.ranges, range);
  run.received += other.received;
  if (other.end < run.end) return;
  run.end = other.end;
  run.last = other.last;
}

/** Runs that begin at one time stay in the order of their arrival. */
const byStart = (one: Run, other: Run) => one.start - other.start;

/** Joins what belongs to one run. */
function joinedRuns(parts: readonly Run[]): Run[] {
  const runs: Run[] = [];
  for (const part of parts.toSorted(byStart)) {
    const before = runs.at(-1);
    if (before && !isRestart(before, part)) merge(before, part);
    else runs.push({ ...part, ranges: [...part.ranges] });
  }
  return runs;
}

const runOf = ({ number, at }: TillNumber): Run => ({
  start: at,
  end: at,
  first: number,
  last: number,
  received: 1,
  ranges: [[number, number]],
});

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
 * The numbers that a till gave its receipts, in the order of sale, whenever they arrive. Most are kept as ranges, so that
 * a day of a till that counts without gaps costs the same however many receipts it has.
 */
export class TillNumbers {
  /** @param latest the latest receipts, in the order of sale */
  private constructor(
    private runs: Run[],
    private readonly latest: TillNumber[],
  ) {}

  static empty(): TillNumbers {
    return new TillNumbers([], []);
  }

  static read({ runs, latest }: PrintedNumbers): TillNumbers {
    let at = 0;
    return new TillNumbers(
      runs.map(([start, end, first, last, received, ranges]) => {
        return { start, end, first, last, received, ranges: [...ranges] };
      }),
      latest.map(([since, number]) => ({ number, at: (at += since) })),
    );
  }

  get isEmpty(): boolean {
    return this.runs.length + this.latest.length === 0;
  }

  printed(): PrintedNumbers {
    return {
      runs: this.runs.map(({ start, end, first, last, received, ranges }) => {
        return [start, end, first, last, received, ranges];
      }),
      latest: this.latest.map(({ number, at }, i) => [at - (this.latest[i - 1]?.at ?? 0), number]),
    };
  }

  /**
   * Adds a receipt. Those of one time have to be added in the order of their arrival, because many tills print no seconds:
   * only this order tells a till that leaves out numbers from one that begins again.
   */
  add(receipt: TillNumber): void {
    const { latest } = this;
    let index = latest.length;
    while (index > 0 && (latest[index - 1] as TillNumber).at > receipt.at) index--;
    latest.splice(index, 0, receipt);
    if (latest.length <= latestMax) return;
    this.runs = joinedRuns([...this.runs, ...latest.splice(0, latestMax / 2).map(runOf)]);
    this.limit();
  }

  /** The numbers of several days or currencies of one till together. */
  static joined(all: readonly TillNumbers[]): TillNumbers {
    return new TillNumbers(
      all.flatMap(({ runs }) => runs),
      all.flatMap(({ latest }) => latest),
    );
  }

  /** Undefined if there are no numbers. */
  gaps(): TillGaps | undefined {
    const runs = joinedRuns([...this.runs, ...this.latest.map(runOf)]);
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
    while (runs.reduce((sum, { ranges }) => sum + ranges.length, 0) > rangesMax) {
      const last = runs.at(-1) as Run;
      if (last.ranges.length === 1 && runs.length > 1) {
        runs.pop();
        merge(runs.at(-1) as Run, last);
      } else {
        const [high, low] = [last.ranges.pop() as NumberRange, last.ranges.pop() as NumberRange];
        last.ranges.push([low[0], high[1]]);
      }
    }
  }
}
