import { bindQuery, type BindOptions } from './bind-query';
import {
  all,
  any,
  complement,
  conditionFilter,
  conditionTally,
  type Alternatives,
  type Filter,
  type Tally,
} from './condition-filter';
import type { Condition, Conditions, Member } from './condition-tree';
import { withinEdits } from './edit-distance';
import type { Field, FieldCatalogue } from './fields';
import { invalidQuery } from './invalid-query';
import type { Query } from './syntax';

/** The maximum number of vocabulary words that replace one misspelt word. */
const expansionsMax = 50;
/** The maximum number of misspelt words in a query, because each requires a query of the vocabulary. */
const similarWordsMax = 64;
/** MongoDB rejects patterns of 32,764 bytes or more. */
const patternBytesMax = 30_000;

/**
 * Finds the words of a retailer's vocabulary within `editsMax` edits of `word`, nearest or most frequent first.
 * @param code the field's code, as in `wordOf`.
 */
export type FindWords = (
  code: string,
  word: string,
  editsMax: number,
  expansionsMax: number,
) => Promise<readonly string[]>;

export interface CompileOptions extends BindOptions {
  readonly words: FindWords;
}

/** The similar words of each misspelt word, keyed by `expansionKey`. */
export type Expansions = ReadonlyMap<string, readonly string[]>;

export interface CompiledQuery {
  /** The filter for matching records. The service adds the retailer, and the caller's other restrictions. */
  readonly filter: Filter;
  /** How the matching records are counted. */
  readonly tally: Tally;
  /** One filter per clause without an operator. Records that match more of them rank higher. */
  readonly plain: readonly Filter[];
  /** Whether at least one of `plain` must match. This is not the case if the query has a required clause. */
  readonly plainRequired: boolean;
  /** Passed to `evaluate`, so that it uses the same similar words as the filter. */
  readonly expansions: Expansions;
}

/**
 * Compiles a query to a MongoDB filter on search documents.
 * @throws ServiceError 400 `invalid_query` for invalid fields and values.
 */
export async function compile(
  query: Query,
  fields: FieldCatalogue,
  options: CompileOptions,
): Promise<CompiledQuery> {
  const tree = bindQuery(query, fields, options);
  const expansions = await expand(tree, options.words);
  const alternatives: Alternatives = (field, word, edits) =>
    expansions.get(expansionKey(field, word, edits)) ?? [word];
  const plain = tree.members.filter(({ occur }) => occur === 'should');
  const filter = groupFilter(tree, alternatives);
  const compiled = {
    filter,
    tally: tallyOf(tree, filter, alternatives),
    plain: plain.map(({ node }) => nodeFilter(node, alternatives)),
    plainRequired: !tree.members.some(({ occur }) => occur === 'must'),
    expansions,
  };
  checkPatterns(compiled.filter);
  return compiled;
}

/** Records that match both queries, ranked by the first query. */
export function bothOf(first: CompiledQuery, second: CompiledQuery): CompiledQuery {
  const filter = all([first.filter, second.filter]);
  return { ...first, filter, tally: { plus: [filter], minus: [] } };
}

function nodeFilter(node: Condition | Conditions, alternatives: Alternatives): Filter {
  return node.kind === 'group' ? groupFilter(node, alternatives) : conditionFilter(node, alternatives);
}

/** Several conditions are counted with their filter, unless all of them only exclude. */
function tallyOf({ members }: Conditions, filter: Filter, alternatives: Alternatives): Tally {
  const [only, ...others] = members;
  if (only && others.length === 0) {
    const { node, occur } = only;
    const tally =
      node.kind === 'group'
        ? tallyOf(node, nodeFilter(node, alternatives), alternatives)
        : conditionTally(node, alternatives);
    return occur === 'must_not' ? complement(tally) : tally;
  }
  if (members.some(({ occur }) => occur !== 'must_not')) return { plus: [filter], minus: [] };
  const excluded = members.map(({ node }) => nodeFilter(node, alternatives));
  return complement({ plus: [any(excluded)], minus: [] });
}

/**
 * All required clauses and no excluded one must match, and one of the optional ones if none is required. Excluded
 * clauses alone match everything else.
 */
function groupFilter({ members }: Conditions, alternatives: Alternatives): Filter {
  const filters = { must: [] as Filter[], should: [] as Filter[], must_not: [] as Filter[] };
  for (const { occur, node } of members) filters[occur].push(nodeFilter(node, alternatives));
  const parts = filters.must;
  if (parts.length === 0 && filters.should.length > 0) parts.push(any(filters.should));
  if (filters.must_not.length > 0) parts.push({ $nor: filters.must_not });
  return all(parts);
}

export const expansionKey = (field: Field, word: string, edits: number): string =>
  `${field.code}:${word}~${edits}`;

/** Queries the vocabulary once per misspelt word, concurrently for all words. */
async function expand(tree: Conditions, find: FindWords): Promise<Expansions> {
  const wanted = new Map<string, { field: Field; word: string; edits: number }>();
  let similarWords = 0;
  for (const { field, test } of conditionsOf(tree.members)) {
    if (test.kind !== 'words') continue;
    test.words.forEach((word, i) => {
      const edits = test.edits[i]!;
      if (edits === 0) return;
      if (++similarWords > similarWordsMax) {
        throw invalidQuery(`there are more than ${similarWordsMax} words with ~`);
      }
      wanted.set(expansionKey(field, word, edits), { field, word, edits });
    });
  }
  const found = [...wanted].map(async ([key, { field, word, edits }]) => {
    const offered = await find(field.code, word, edits, expansionsMax);
    const similar = offered.filter((candidate) => withinEdits(word, candidate, edits));
    return [key, [...new Set([word, ...similar])].slice(0, expansionsMax)] as const;
  });
  return new Map(await Promise.all(found));
}

function* conditionsOf(members: readonly Member[]): Iterable<Condition> {
  for (const { node } of members) {
    if (node.kind === 'condition') yield node;
    else yield* conditionsOf(node.members);
  }
}

/** Rejects patterns that MongoDB would reject: they are the client's error, not an internal one. */
function checkPatterns(filter: unknown): void {
  if (typeof filter !== 'object' || filter === null) return;
  for (const [key, value] of Object.entries(filter)) {
    if (key === '$regex' && Buffer.byteLength(String(value)) > patternBytesMax) {
      throw invalidQuery('it has too many similar or distant words');
    }
    checkPatterns(value);
  }
}
