import { bindQuery, type BindOptions } from './bind-query';
import { expansionKey, type Expansions } from './compile';
import type { Condition, Conditions, Test } from './condition-tree';
import { withinEdits } from './edit-distance';
import {
  elementsOf,
  isNumeric,
  isPresent,
  isText,
  valuesOf,
  type FieldCatalogue,
  type SearchableRecord,
} from './fields';
import { numberOf, textOf } from './search-document';
import type { Query, Span } from './syntax';
import { literalOf, wordsOf } from './text';

export interface EvaluateOptions extends BindOptions {
  /** The similar words of misspelt words. If absent, all words in the record within the edit distance are similar. */
  readonly expansions?: Expansions;
  /** Called before each condition is evaluated. If it throws, the evaluation ends. */
  readonly onCondition?: () => void;
}

export interface Evaluation {
  readonly matches: boolean;
  /** The clauses, and conditions within groups, that match the record, including excluded clauses. */
  readonly matched: readonly Span[];
}

/**
 * Evaluates a query on one record in memory, by the record's values instead of its search document. It explains hits,
 * and tests compare the filter of `compile` with it.
 * @throws ServiceError 400 `invalid_query`.
 */
export function evaluate(
  query: Query,
  fields: FieldCatalogue,
  record: SearchableRecord,
  options: EvaluateOptions = {},
): Evaluation {
  const matched: Span[] = [];
  const texts = { wordsOf: remembered(wordsOf), literalOf: remembered(literalOf) };
  const matches = groupHolds(bindQuery(query, fields, options), { record, options, matched, texts });
  return { matches, matched };
}

interface Context {
  readonly record: SearchableRecord;
  readonly options: EvaluateOptions;
  readonly matched: Span[];
  readonly texts: Texts;
}

/** The cached analysis of the record's texts. */
interface Texts {
  readonly wordsOf: (text: string) => readonly string[];
  readonly literalOf: (text: string) => string;
}

/** Caches the analysis, because many conditions may read the same text, which may be megabytes long. */
function remembered<T>(read: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    let value = known.get(text);
    if (value === undefined) known.set(text, (value = read(text)));
    return value;
  };
}

/** Evaluates all members, even if the result is already known, so that `matched` is complete. */
function groupHolds({ members }: Conditions, context: Context): boolean {
  let needed = true;
  let anyMust = false;
  let anyShould = false;
  let shouldHolds = false;
  for (const { occur, at, node } of members) {
    const index = context.matched.length;
    const holds = node.kind === 'group' ? groupHolds(node, context) : conditionHolds(node, context);
    if (holds) context.matched.splice(index, 0, at);
    if (occur === 'must') anyMust = true;
    if (occur === 'should') {
      anyShould = true;
      shouldHolds ||= holds;
    } else if (holds !== (occur === 'must')) needed = false;
  }
  return needed && (anyMust || !anyShould || shouldHolds);
}

function conditionHolds({ field, test }: Condition, { record, options, texts }: Context): boolean {
  options.onCondition?.();
  const values = valuesOf(field, record);
  if (test.kind === 'exists') return values.some(isPresent);
  for (const element of values.flatMap(elementsOf)) {
    if (!isPresent(element)) continue;
    if (isNumeric(field.type)) {
      const number = numberOf(field.type, element);
      if (number !== null && test.kind === 'between' && isBetween(test, number)) return true;
      continue;
    }
    const text = textOf(element);
    if (text === undefined) continue;
    if (isText(field.type)) {
      const isSimilar = (word: string, candidate: string, edits: number): boolean => {
        const expanded = options.expansions?.get(expansionKey(field, word, edits));
        return expanded ? expanded.includes(candidate) : withinEdits(word, candidate, edits);
      };
      if (textHolds(test, text, texts, isSimilar)) return true;
    } else if (test.kind === 'equals' ? text === test.text : startsWith(test, text)) return true;
  }
  return false;
}

const startsWith = (test: Test, text: string): boolean =>
  test.kind === 'startsWith' && text.startsWith(test.text);

function isBetween({ low, high }: Extract<Test, { kind: 'between' }>, value: number): boolean {
  if (low && (low.inclusive ? value < low.value : value <= low.value)) return false;
  return !(high && (high.inclusive ? value > high.value : value >= high.value));
}

type IsSimilar = (word: string, candidate: string, edits: number) => boolean;

function textHolds(test: Test, text: string, texts: Texts, isSimilar: IsSimilar): boolean {
  if (test.kind === 'literal') return texts.literalOf(text).includes(test.text);
  if (test.kind !== 'words') return false;
  const found = texts.wordsOf(text);
  if (test.distance !== undefined) return areNear(test.words, found, test.distance);
  const last = test.words.length - 1;
  const stands = (i: number, candidate: string): boolean => {
    const word = test.words[i]!;
    if (i === last && test.lastIsPrefix && candidate.startsWith(word)) return true;
    return test.edits[i] === 0 ? candidate === word : isSimilar(word, candidate, test.edits[i]!);
  };
  return found.some((_, start) =>
    test.words.every((_, i) => start + i < found.length && stands(i, found[start + i]!)),
  );
}

/**
 * Lucene's sloppy phrase: the displacements of the words (position in the text minus position in the query) differ by
 * at most `distance`.
 */
function areNear(words: readonly string[], found: readonly string[], distance: number): boolean {
  const displacements = words.map((word, i) =>
    found.flatMap((candidate, place) => (candidate === word ? [place - i] : [])),
  );
  return displacements.some((starts) => {
    // The displacements of each word are ascending, so a single pass over each list suffices.
    const next = displacements.map(() => 0);
    return starts.some((least) =>
      displacements.every((places, i) => {
        while (places[next[i]!]! < least) next[i]!++;
        return places[next[i]!]! <= least + distance;
      }),
    );
  });
}
