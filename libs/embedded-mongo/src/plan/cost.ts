import type { IndexScan } from './index-scan';
import type { Query } from './plan';

/** The cost of reading a document, in keys, and of testing whether it matches a filter. */
const documentCost = 4;
const filterCost = 36;

/** The estimated cost of a scan of `size` keys for a query with this number of results, in keys. */
export function costOf(s: IndexScan, size: number, results: number, q: Query): number {
  const perDocument = s.exact ? documentCost : documentCost + filterCost;
  const perKey = s.exact && q.limit === 0 && q.sort === undefined ? 2 : 1 + perDocument;
  const wanted = q.limit === 0 ? Infinity : q.limit + q.skip;
  if (!stopsEarly(s, q)) return size * perKey * 1.2;
  if (s.exact) return Math.min(size, wanted) * perKey;
  return Math.min(size, (size * wanted) / Math.max(results, 1)) * perKey;
}

/** True if a scan ends as soon as it has found enough. */
export const stopsEarly = (s: IndexScan, q: Query): boolean => q.sort === undefined || s.sorted;

export const rank = (s: IndexScan): number =>
  (s.sorted ? 4 : 0) + (s.exact ? 2 : 0) + s.bounds.length - s.index.fields.length / 100;

/** True for equality on every field of a unique index. */
export const isLookup = (s: IndexScan): boolean =>
  s.index.unique &&
  s.bounds.length === s.index.fields.length &&
  s.bounds.every((b) => b.length === 1 && b[0]!.point);

/** Drops scans that are in no respect better than some other scan, regardless of the data. */
export function undominated(scans: readonly IndexScan[]): IndexScan[] {
  const out: IndexScan[] = [];
  for (const s of [...scans].sort((a, b) => rank(b) - rank(a)))
    if (!out.some((better) => beats(better, s))) out.push(s);
  return out;
}

function beats(a: IndexScan, b: IndexScan): boolean {
  if ((b.sorted && !a.sorted) || (b.exact && !a.exact) || (a.repeats && !b.repeats)) return false;
  return a.narrowedBy.size > 0 && [...b.narrowedBy].every((condition) => a.narrowedBy.has(condition));
}
