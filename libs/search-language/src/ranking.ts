import type { CompiledQuery } from './compile';
import { all, any, type Filter } from './condition-filter';
import { meets } from './filter-match';

/**
 * The maximum number of clauses for which tiers are used. The filters of tiers contain all combinations of the clauses,
 * so they grow exponentially.
 */
const tieredClausesMax = 6;

/**
 * The order of hits: by the number of matching optional clauses, highest first, then newest first.
 *
 * `tiers`: disjoint filters, best first, that together match all hits. Each is read newest first and counted
 * separately, so that a page costs one count per preceding tier and reads only the hits it shows.
 *
 * `score`: used if there are too many optional clauses for tiers. The service reads a limited number of hits, newest
 * first, and sorts them by score.
 */
export type Ranking =
  | { readonly kind: 'tiers'; readonly tiers: readonly Filter[] }
  | { readonly kind: 'score'; readonly score: Score };

/**
 * @param record a record with its search document and columns
 * @param onClause called before each clause is evaluated. If it throws, the scoring ends.
 */
export type Score = (record: object, onClause?: () => void) => number;

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
  (record, onClause) =>
    plain.filter((one) => {
      onClause?.();
      return meets(one, record);
    }).length;

function atLeast(count: number, filters: readonly Filter[]): Filter {
  return any(combinations(count, filters).map(all));
}

/** All combinations of `count` elements, in order. */
function combinations<T>(count: number, from: readonly T[]): T[][] {
  if (count === 0) return [[]];
  return from.flatMap((first, i) =>
    combinations(count - 1, from.slice(i + 1)).map((rest) => [first, ...rest]),
  );
}
