import { bindQuery, type BindOptions } from './bind-query';
import { all, any, conditionFilter, type Alternatives, type Filter } from './condition-filter';
import type { Condition, Conditions, Member } from './condition-tree';
import { withinEdits } from './edit-distance';
import type { Field, FieldCatalogue } from './fields';
import { invalidQuery } from './invalid-query';
import type { Query } from './syntax';

/** The most words of the vocabulary that stand for one misspelt word. */
const expansionsMax = 50;
/** The most misspelt words of a query: each is a look into the vocabulary. */
const similarWordsMax = 64;
/** MongoDB refuses patterns from 32,764 bytes on. */
const patternBytesMax = 30_000;

/**
 * Words of the owner's vocabulary that are within so many edits of `word`, nearest or most frequent first.
 * @param code the field's code, as in `vocabularyOf`.
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

/** What stands for each misspelt word, by `expansionKey`. */
export type Expansions = ReadonlyMap<string, readonly string[]>;

export interface CompiledQuery {
  /** Which records match. The owner adds the retailer, and whatever else confines the caller. */
  readonly filter: Filter;
  /** One filter for each plain clause of the query: the more of them a record meets, the earlier it comes. */
  readonly plain: readonly Filter[];
  /** Whether a match must meet a plain clause. It need not where some clause has a `+`. */
  readonly plainRequired: boolean;
  /** For `evaluate`, so that it takes the same words for similar as the filter does. */
  readonly expansions: Expansions;
}

/**
 * Compiles a query into a MongoDB filter on search documents.
 * @throws ServiceError 400 `invalid_query` for fields and values that do not fit.
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
  const compiled = {
    filter: groupFilter(tree, alternatives),
    plain: plain.map(({ node }) => nodeFilter(node, alternatives)),
    plainRequired: !tree.members.some(({ occur }) => occur === 'must'),
    expansions,
  };
  checkPatterns(compiled.filter);
  return compiled;
}

function nodeFilter(node: Condition | Conditions, alternatives: Alternatives): Filter {
  return node.kind === 'group' ? groupFilter(node, alternatives) : conditionFilter(node, alternatives);
}

/** Every `+`, no `-`, and one of the plain ones where there is no `+`. Negatives alone: everything else. */
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

/** Asks the vocabulary once for each misspelt word, for all of them at a time. */
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

/** A pattern that MongoDB would refuse is the query's fault and not the server's. */
function checkPatterns(filter: unknown): void {
  if (typeof filter !== 'object' || filter === null) return;
  for (const [key, value] of Object.entries(filter)) {
    if (key === '$regex' && Buffer.byteLength(String(value)) > patternBytesMax) {
      throw invalidQuery('it has too many similar or distant words');
    }
    checkPatterns(value);
  }
}
