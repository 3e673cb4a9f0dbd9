import { cutBytes, cutKey } from '../keys/index-keys';
import { after } from '../keys/key-writer';
import type { Node } from '../query/node';
import type { Sort } from '../query/sort';
import type { Index } from '../store/collection';
import type { Condition } from './conditions';
import { implies } from './implies';
import { byteRange, intersection, type Interval } from './interval';
import type { ByteRange } from './key-stream';

/** Ranges with the same prefix of fixed values. The keys are in order after that prefix. */
export interface Chain {
  readonly prefixBytes: number;
  readonly ranges: readonly ByteRange[];
}

/** An index scan that serves a filter. */
export interface IndexScan {
  readonly index: Index;
  readonly chains: readonly Chain[];
  readonly backwards: boolean;
  /** Whether the scan returns the requested sort order. With `merge`, several chains are merged for this purpose. */
  readonly sorted: boolean;
  readonly merge: boolean;
  /** Whether every key within the ranges matches, so that the filter need not be applied to the document. */
  readonly exact: boolean;
  /** Whether a document may be returned more than once. */
  readonly repeats: boolean;
  /** The conditions that determine the ranges. */
  readonly narrowedBy: ReadonlySet<Condition>;
  /** The intervals of each bounded field, for explain. */
  readonly bounds: readonly (readonly Interval[])[];
}

const chainsMax = 200;
const alternativesMax = 12;

interface Choice {
  readonly intervals: readonly Interval[];
  readonly conditions: readonly Condition[];
  readonly exact: boolean;
}

/**
 * The scans with which an index can serve the filter; empty if it cannot. `forced` permits scanning the whole index.
 */
export function indexScans(
  index: Index,
  conjuncts: readonly Node[],
  conditions: readonly Condition[],
  sort: Sort | undefined,
  forced: boolean,
): IndexScan[] {
  if (index.partialFilter !== undefined && !implies(conjuncts, index.partialFilter)) return [];
  const out: IndexScan[] = [];
  for (const choices of alternatives(index, conditions)) {
    if (choices.length === 0 && !forced && sort === undefined && !selectsBySelf(index)) continue;
    const scan = build(index, choices, conjuncts.length, sort);
    if (choices.length > 0 || forced || scan.sorted || selectsBySelf(index)) out.push(scan);
  }
  return out;
}

/** A partial index whose condition the filter implies narrows the result even without bounds. */
const selectsBySelf = (index: Index): boolean => index.partialFilter !== undefined;

/** The possible combinations of bounds. Each consists of one choice per leading field of the index. */
function alternatives(index: Index, conditions: readonly Condition[]): Choice[][] {
  let lists: Choice[][] = [[]];
  for (let i = 0; i < index.fields.length; i++) {
    const found = conditions.filter((condition) => condition.path === index.fields[i]!.path.text);
    if (found.length === 0) break;
    const next: Choice[][] = [];
    let grown = false;
    for (const list of lists) {
      const choices = list.length === i && endsInPoints(list) ? choicesFor(index, i, found) : [];
      if (choices.length === 0) next.push(list);
      for (const choice of choices) {
        grown = true;
        if (next.length < alternativesMax) next.push([...list, choice]);
      }
    }
    lists = next;
    if (!grown) break;
  }
  return lists;
}

const endsInPoints = (list: readonly Choice[]): boolean =>
  list.every((choice) => choice.intervals.every((i) => i.point)) &&
  list.reduce((n, choice) => n * choice.intervals.length, 1) <= chainsMax;

function choicesFor(index: Index, i: number, found: readonly Condition[]): Choice[] {
  const arrays = index.multi[i]!;
  if (!arrays) {
    const intervals = found
      .map((condition) => condition.bounds.intervals)
      .reduce((a, b) => intersection(a, b));
    const exact = found.every((condition) => condition.bounds.exact || condition.bounds.exactWithoutArrays);
    return [{ intervals, conditions: found, exact }];
  }
  // Different array elements may satisfy different conditions, so their bounds are not intersected.
  return found.map((condition) => ({
    intervals: condition.bounds.intervals,
    conditions: [condition],
    exact: condition.bounds.exact,
  }));
}

function build(
  index: Index,
  choices: readonly Choice[],
  conjunctCount: number,
  sort: Sort | undefined,
): IndexScan {
  let chains: Chain[] = [{ prefixBytes: index.prefix.length, ranges: [wholeRange(index.prefix)] }];
  let prefixes: Buffer[] = [index.prefix];
  let points = 0;
  for (let i = 0; i < choices.length; i++) {
    const { descending } = index.fields[i]!;
    const ranges = choices[i]!.intervals.map((interval) => byteRange(interval, descending));
    if (descending) ranges.reverse();
    const expandable = ranges.every((r) => r.point) && prefixes.length * ranges.length <= chainsMax;
    if (!expandable) {
      const last = index.unique && i + 1 === index.fields.length;
      chains = prefixes.map((p) => ({
        prefixBytes: p.length,
        ranges: ranges.map((r) => (last && r.point ? onlyKey(Buffer.concat([p, r.low])) : joined(p, r))),
      }));
      break;
    }
    prefixes = prefixes.flatMap((p) => ranges.map((r) => Buffer.concat([p, r.low])));
    points = i + 1;
    const fixed = index.unique && points === index.fields.length;
    chains = prefixes.map((p) => ({
      prefixBytes: p.length,
      ranges: [fixed ? onlyKey(p) : wholeRange(p)],
    }));
  }
  const order = sort === undefined || index.cut ? undefined : orderOf(index, choices, points, sort);
  const consumed = new Set(
    choices.flatMap((choice) => (choice.exact ? choice.conditions.map((x) => x.conjunct) : [])),
  );
  return {
    index,
    chains,
    backwards: order?.backwards ?? false,
    sorted: order !== undefined,
    merge: order?.merge === true && chains.length > 1,
    exact: !index.cut && consumed.size === conjunctCount && !chains.some(wasCapped),
    repeats: index.multi.some((m, i) => m && !(i < points && choices[i]!.intervals.length === 1)),
    narrowedBy: new Set(choices.flatMap((choice) => choice.conditions)),
    bounds: choices.map((choice) => choice.intervals),
  };
}

const wholeRange = (prefix: Buffer): ByteRange => ({
  low: capped(prefix),
  high: after(capped(prefix)),
  loose: prefix.length > cutBytes,
});

/** The range of a single key of a unique index. */
const onlyKey = (key: Buffer): ByteRange => ({ ...wholeRange(key), only: cutKey(key) });

function joined(prefix: Buffer, r: ByteRange): ByteRange {
  const low = Buffer.concat([prefix, r.low]);
  const high = Buffer.concat([prefix, r.high]);
  return {
    low: capped(low),
    high: high.length > cutBytes ? after(capped(high)) : high,
    loose: Math.max(low.length, high.length) > cutBytes,
  };
}

/** A truncated bound also includes other keys that start with the same bytes. */
const wasCapped = (chain: Chain): boolean =>
  chain.ranges.some((r) => r.loose === true && r.only === undefined);

/**
 * Long index keys are truncated, so bounds are truncated to the same length. The filter rejects keys that are only
 * within the truncated bounds.
 */
const capped = (b: Buffer): Buffer => (b.length > cutBytes ? b.subarray(0, cutBytes) : b);

/**
 * Returns how the scan yields the requested sort order, or undefined if it does not. Fields fixed to a single value do
 * not matter. Fields with several equality values must come first in the sort order; otherwise their index ranges are
 * merged.
 */
function orderOf(
  index: Index,
  choices: readonly Choice[],
  points: number,
  sort: Sort,
): { backwards: boolean; merge: boolean } | undefined {
  if (sort.fields.some((f) => f.path.segments.some((s) => s.index >= 0))) return undefined;
  const single = (i: number): boolean => i < points && choices[i]!.intervals.length === 1 && !index.multi[i];
  const fixed = new Set(index.fields.filter((_, i) => single(i)).map((f) => f.path.text));
  const wanted = sort.fields.filter((f) => !fixed.has(f.path.text));
  const follow = (start: number): boolean | undefined => {
    let backwards: boolean | undefined;
    let at = start;
    for (const f of wanted) {
      while (at < points && single(at)) at++;
      const g = index.fields[at];
      if (g === undefined || g.path.text !== f.path.text) return undefined;
      // The first key of a document is that of its least element, unless bounds exclude that element.
      if (index.multi[at] && at < choices.length) return undefined;
      const isReversed = g.descending !== f.descending;
      if (backwards !== undefined && backwards !== isReversed) return undefined;
      backwards = isReversed;
      at++;
    }
    return backwards ?? false;
  };
  const direct = follow(0);
  if (direct !== undefined) return { backwards: direct, merge: false };
  const merged = follow(points);
  return merged === undefined ? undefined : { backwards: merged, merge: true };
}
