import { after, inverted } from '../keys/key-writer';

/**
 * A range of values of one field in their key encoding, ascending. A bound is an encoded value, a prefix of one, or a
 * class byte. With `point`, low and high are the same value.
 */
export interface Interval {
  readonly low: Buffer;
  readonly lowInclusive: boolean;
  readonly high: Buffer;
  readonly highInclusive: boolean;
  readonly point: boolean;
}

export const pointOf = (key: Buffer): Interval => ({
  low: key,
  lowInclusive: true,
  high: key,
  highInclusive: true,
  point: true,
});

/** The interval as a range of key bytes [low, high) of an ascending or descending field. */
export function byteRange(i: Interval, descending: boolean): { low: Buffer; high: Buffer } {
  if (!descending) {
    return { low: i.lowInclusive ? i.low : after(i.low), high: i.highInclusive ? after(i.high) : i.high };
  }
  const low = inverted(i.high);
  const high = inverted(i.low);
  return { low: i.highInclusive ? low : after(low), high: i.lowInclusive ? after(high) : high };
}

const startOf = (i: Interval): Buffer => (i.lowInclusive ? i.low : after(i.low));
const stopOf = (i: Interval): Buffer => (i.highInclusive ? after(i.high) : i.high);

/** Sorts intervals, drops empty ones and joins those that overlap. */
export function normalized(intervals: readonly Interval[]): Interval[] {
  const sorted = intervals
    .filter((i) => i.point || startOf(i).compare(stopOf(i)) < 0)
    .sort((a, b) => startOf(a).compare(startOf(b)) || stopOf(b).compare(stopOf(a)));
  const out: Interval[] = [];
  for (const i of sorted) {
    const last = out.at(-1);
    if (last === undefined || startOf(i).compare(stopOf(last)) >= 0) out.push(i);
    else if (stopOf(i).compare(stopOf(last)) > 0) {
      out[out.length - 1] = {
        low: last.low,
        lowInclusive: last.lowInclusive,
        high: i.high,
        highInclusive: i.highInclusive,
        point: false,
      };
    }
  }
  return out;
}

/** The intervals common to both lists. */
export function intersection(a: readonly Interval[], b: readonly Interval[]): Interval[] {
  const out: Interval[] = [];
  for (const x of a) {
    for (const y of b) {
      const lowFromX = startOf(x).compare(startOf(y)) >= 0;
      const highFromX = stopOf(x).compare(stopOf(y)) <= 0;
      const l = lowFromX ? x : y;
      const h = highFromX ? x : y;
      const joined: Interval = {
        low: l.low,
        lowInclusive: l.lowInclusive,
        high: h.high,
        highInclusive: h.highInclusive,
        point: (lowFromX && highFromX ? x.point : false) || (!lowFromX && !highFromX ? y.point : false),
      };
      if (startOf(joined).compare(stopOf(joined)) < 0) out.push(joined);
    }
  }
  return normalized(out);
}
