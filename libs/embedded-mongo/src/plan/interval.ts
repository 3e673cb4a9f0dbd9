import { after, inverted } from '../keys/key-writer';

/** The encoded values of one field from `low` to `high` (exclusive), ascending. */
export interface Interval {
  readonly low: Buffer;
  readonly high: Buffer;
  /** True if `low` is the only value. */
  readonly point: boolean;
}

export const pointOf = (key: Buffer): Interval => ({ low: key, high: after(key), point: true });

/** The interval in the key bytes of an ascending or descending field. */
export function byteRange({ low, high, point }: Interval, descending: boolean): Interval {
  if (!descending) return { low, high, point };
  return point ? pointOf(inverted(low)) : { low: after(inverted(high)), high: after(inverted(low)), point };
}

/** Sorts intervals, drops empty intervals and joins those that overlap. */
export function normalized(intervals: readonly Interval[]): Interval[] {
  const sorted = intervals
    .filter(({ low, high }) => low.compare(high) < 0)
    .sort((a, b) => a.low.compare(b.low) || b.high.compare(a.high));
  const out: Interval[] = [];
  for (const interval of sorted) {
    const last = out.at(-1);
    const gap = last === undefined ? 1 : interval.low.compare(last.high);
    // A point stays one, so that the fields after it can have bounds.
    if (last === undefined || gap > 0 || (gap === 0 && (last.point || interval.point))) out.push(interval);
    else if (interval.high.compare(last.high) > 0)
      out[out.length - 1] = { low: last.low, high: interval.high, point: false };
  }
  return out;
}

/** The intervals common to both lists. */
export function intersection(a: readonly Interval[], b: readonly Interval[]): Interval[] {
  return normalized(
    a.flatMap((x) =>
      b.map((y) => ({
        low: x.low.compare(y.low) >= 0 ? x.low : y.low,
        high: x.high.compare(y.high) <= 0 ? x.high : y.high,
        point: x.point || y.point,
      })),
    ),
  );
}
