import type { CompiledQuery } from './compile';
import { all, any, type Filter } from './condition-filter';
import { meets } from './filter-match';
import type { SearchDocument } from './search-document';

/** With more plain clauses the tiers' filters would grow out of hand: they combine the clauses in every way. */
const tieredClausesMax = 6;

/**
 * How hits are ordered: by the number of plain clauses that they meet, most first, then newest first.
 *
 * `tiers`: disjoint filters, best first, which together give all hits. Each is read newest first and counted by itself,
 * so a page costs a count for each tier before it and reads no more hits than it shows.
 *
 * `score`: too many plain clauses for tiers. The owner reads a bounded number of hits, newest first, and orders them.
 */
export type Ranking =
  | { readonly kind: 'tiers'; readonly tiers: readonly Filter[] }
  | { readonly kind: 'score'; readonly score: Score };

/** @param onClause called before each clause is looked at; what it throws ends the scoring. */
export type Score = (search: SearchDocument, onClause?: () => void) => number;

export function rankingTiers({ filter, plain, plainRequired }: CompiledQuery): Ranking {
  const least = plainRequired ? 1 : 0;
  if (plain.length <= least) return { kind: 'tiers', tiers: [filter] };
  if (plain.length > tieredClausesMax) {
    return { kind: 'score', score: scoreBy(plain) };
  }
  const tiers: Filter[] = [];
  for (let count = plain.length; count >= least; count--) {
    const parts = [filter];
    if (count > least) parts.push(atLeast(count, plain));
    if (count < plain.length) parts.push({ $nor: [atLeast(count + 1, plain)] });
    tiers.push(all(parts));
  }
  return { kind: 'tiers', tiers };
}

const scoreBy =
  (plain: readonly Filter[]): Score =>
  (search, onClause) =>
    plain.filter((one) => {
      onClause?.();
      return meets(one, { search });
    }).length;

function atLeast(count: number, filters: readonly Filter[]): Filter {
  return any(combinations(count, filters).map(all));
}

/** Every choice of `count` elements, in order. */
function combinations<T>(count: number, from: readonly T[]): T[][] {
  if (count === 0) return [[]];
  return from.flatMap((first, i) =>
    combinations(count - 1, from.slice(i + 1)).map((rest) => [first, ...rest]),
  );
}
