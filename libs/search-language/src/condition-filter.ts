import type { Condition, Test } from './condition-tree';
import { isNumeric, isText, type Field } from './fields';
import { escapePattern, phrasePattern, proximityPattern, type PhraseWord } from './phrase-pattern';
import { withoutNumber } from './search-document';
import { presenceMark } from './searched-text';
import { tokenText } from './text';

/** A MongoDB filter: a plain object on `search.*`. */
export type Filter = Readonly<Record<string, unknown>>;

type Words = Extract<Test, { kind: 'words' }>;
type Between = Extract<Test, { kind: 'between' }>;

/** The words that match a misspelt word, including the word itself. */
export type Alternatives = (field: Field, word: string, edits: number) => readonly string[];

/** The filter of a single condition. */
export function conditionFilter({ field, test }: Condition, alternatives: Alternatives): Filter {
  const strings = field.indexed ? 'search.t' : 'search.u';
  const measures = field.indexed ? 'search.n' : 'search.m';
  switch (test.kind) {
    case 'exists':
      if (field.single) return { [singlePath(field)]: { $gte: withoutNumber } };
      if (isNumeric(field.type)) return { [`${measures}.f`]: field.code };
      if (field.type === 'exists') return { [strings]: field.code + presenceMark };
      return startsWith(strings, field.code, `[${isText(field.type) ? ':' : '='}${presenceMark}]`);
    case 'words':
      return test.words.length === 1
        ? wordFilter(strings, field, test, alternatives)
        : phraseFilter(strings, field, test, alternatives);
    case 'literal':
      return { 'search.u': { $regex: `^${escapePattern(field.code)}#.*${escapePattern(test.text)}` } };
    case 'equals':
      return { [strings]: `${field.code}=${tokenText(test.text)}` };
    case 'startsWith':
      return startsWith(strings, `${field.code}=${test.text}`);
    case 'between':
      if (field.single) return { [singlePath(field)]: between(withLow(test)) };
      return { [measures]: { $elemMatch: { f: field.code, v: between(test) } } };
  }
}

/** The pattern is anchored, so that only the matching range of the index is read. */
function startsWith(path: string, text: string, pattern = ''): Filter {
  return { [path]: { $regex: `^${escapePattern(text)}${pattern}` } };
}

function wordFilter(path: string, field: Field, test: Words, alternatives: Alternatives): Filter {
  const word = test.words[0]!;
  const prefix = startsWith(path, `${field.code}:${word}`);
  const edits = test.edits[0]!;
  if (test.lastIsPrefix) {
    return edits === 0 ? prefix : any([prefix, oneOf(path, field, alternatives(field, word, edits))]);
  }
  return oneOf(path, field, edits === 0 ? [word] : alternatives(field, word, edits));
}

function oneOf(path: string, field: Field, words: readonly string[]): Filter {
  const tokens = words.map((word) => `${field.code}:${tokenText(word)}`);
  return { [path]: tokens.length === 1 ? tokens[0] : { $in: tokens } };
}

/** The words narrow the search by the index; the pattern then checks their order in the document. */
function phraseFilter(path: string, field: Field, test: Words, alternatives: Alternatives): Filter {
  const whole: string[] = [];
  const filters: Filter[] = [];
  const phrase: PhraseWord[] = [];
  test.words.forEach((word, i) => {
    const edits = test.edits[i]!;
    const isPrefix = test.lastIsPrefix && i === test.words.length - 1;
    const exact = isPrefix && edits === 0;
    const forms = exact ? [] : edits === 0 ? [word] : alternatives(field, word, edits);
    phrase.push({ alternatives: forms.map(tokenText), prefix: isPrefix ? word : undefined });
    if (forms.length === 1 && !isPrefix) whole.push(forms[0]!);
    else if (!isPrefix) filters.push(oneOf(path, field, forms));
  });
  // Long words tend to be rare, and some query planners use the first one for the index scan.
  const tokens = [...new Set(whole)].sort((a, b) => b.length - a.length);
  if (tokens.length === 1) filters.unshift(oneOf(path, field, tokens));
  else if (tokens.length > 1) {
    filters.unshift({ [path]: { $all: tokens.map((word) => `${field.code}:${tokenText(word)}`) } });
  }
  const pattern =
    test.distance === undefined
      ? phrasePattern(field.code, phrase)
      : proximityPattern(field.code, test.words.map(tokenText), test.distance);
  return all([...filters, { 'search.u': { $regex: pattern } }]);
}

const singlePath = ({ code }: Field): string => `search.s.${code}`;

/** An open range starts at the smallest number, in order to exclude values that are not numbers. */
const withLow = (test: Between): Between =>
  test.low ? test : { ...test, low: { value: -Number.MAX_VALUE, inclusive: true } };

function between({ low, high }: Between): unknown {
  if (low && high && low.value === high.value && low.inclusive && high.inclusive) return low.value;
  return {
    ...(low && { [low.inclusive ? '$gte' : '$gt']: low.value }),
    ...(high && { [high.inclusive ? '$lte' : '$lt']: high.value }),
  };
}

/** The conjunction of the filters. Without filters it matches everything. */
export function all(filters: readonly Filter[]): Filter {
  const parts = filters.flatMap((filter) =>
    '$and' in filter ? (filter['$and'] as readonly Filter[]) : [filter],
  );
  return parts.length === 0 ? {} : parts.length === 1 ? parts[0]! : { $and: parts };
}

/**
 * The disjunction of the filters. Tests for whole tokens are merged to a single `$in`, which needs only one index scan.
 */
export function any(filters: readonly Filter[]): Filter {
  const tokens = new Map<string, Set<string>>();
  const others: Filter[] = [];
  for (const filter of filters) {
    const asked = tokensAsked(filter);
    if (!asked) others.push(filter);
    else tokens.set(asked.path, new Set([...(tokens.get(asked.path) ?? []), ...asked.tokens]));
  }
  const merged = [...tokens].map(([path, set]): Filter => ({
    [path]: set.size === 1 ? [...set][0] : { $in: [...set] },
  }));
  const choices = [...merged, ...others];
  return choices.length === 1 ? choices[0]! : { $or: choices };
}

function tokensAsked(filter: Filter): { path: string; tokens: readonly string[] } | undefined {
  for (const path of ['search.t', 'search.u']) {
    const asked = filter[path];
    if (typeof asked === 'string') return { path, tokens: [asked] };
    if (typeof asked === 'object' && asked !== null && '$in' in asked) {
      return { path, tokens: asked.$in as readonly string[] };
    }
  }
  return undefined;
}
