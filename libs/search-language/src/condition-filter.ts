import type { Condition, Test } from './condition-tree';
import { isNumeric, isText, type Column, type Field } from './fields';
import { termsBetween } from './number-terms';
import { escapePattern, phrasePattern, proximityPattern, type PhraseWord } from './phrase-pattern';
import { withoutNumber } from './search-document';
import { afterPrefix, mark, sortable } from './search-terms';
import { symbolsOf, tokenText } from './text';

/** A MongoDB filter: a plain object on `search.*` and the columns of fields. */
export type Filter = Readonly<Record<string, unknown>>;

type Words = Extract<Test, { kind: 'words' }>;
type Between = Extract<Test, { kind: 'between' }>;

/** The words that match a misspelt word, including the word itself. */
export type Alternatives = (field: Field, word: string, edits: number) => readonly string[];

const terms = 'search.terms';

/** Matches every record. */
const everything: Filter = {};

/** The filter of a single condition. */
export function conditionFilter({ field, test }: Condition, alternatives: Alternatives): Filter {
  const { code, column } = field;
  switch (test.kind) {
    case 'exists':
      return existsFilter(field);
    case 'words':
      return test.words.length === 1
        ? wordFilter(field, test, alternatives)
        : phraseFilter(field, test, alternatives);
    case 'literal':
      return literalFilter(field, test.text);
    case 'equals':
      return column ? { [column.path]: test.text } : oneOf([code + mark.exact + tokenText(test.text)]);
    case 'startsWith':
      return column ? columnStart(column, test.text) : startsWith(code + mark.exact + test.text);
    case 'between':
      if (column) return { [column.path]: columnRange(column, test) };
      if (field.single) return { [singlePath(field)]: between(withLow(test)) };
      return numberFilter(field, test);
  }
}

function existsFilter(field: Field): Filter {
  const { code, column, single, usual } = field;
  if (column) return { [column.path]: { $gte: column.from, ...(column.to && { $lt: column.to }) } };
  if (single) return { [singlePath(field)]: { $gte: withoutNumber } };
  if (usual) return except(oneOf([code + mark.absent]));
  return any([oneOf([code + mark.present]), ...marksOf(field).map((one) => startsWith(code + one))]);
}

/** The marks of the terms of a field's values. A value without any of them has the mark of presence. */
function marksOf({ type, whole, expected }: Field): readonly string[] {
  if (type === 'exists') return [];
  if (isText(type)) return [whole ? mark.exact : mark.word];
  if (!isNumeric(type)) return [mark.exact];
  return expected === undefined ? [mark.number] : [mark.number, mark.unexpectedNumber];
}

/**
 * Matches records with a term that starts with this text. MongoDB counts the keys for such a pattern, whereas for a
 * range, which needs `$elemMatch`, it also reads every document.
 */
function startsWith(text: string): Filter {
  // A pattern cannot contain NUL.
  if (text.includes('\0')) return { [terms]: { $elemMatch: prefixRange(text) } };
  return { [terms]: { $regex: `^${escapePattern(text)}` } };
}

const columnStart = ({ path }: Column, text: string): Filter => ({ [path]: prefixRange(text) });

function prefixRange(text: string): Filter {
  const end = afterPrefix(text);
  return { $gte: text, ...(end !== undefined && { $lt: end }) };
}

function wordFilter(field: Field, test: Words, alternatives: Alternatives): Filter {
  const word = test.words[0]!;
  const prefix = startsWith(field.code + mark.word + word);
  const edits = test.edits[0]!;
  if (test.lastIsPrefix) {
    return edits === 0 ? prefix : any([prefix, oneWord(field, alternatives(field, word, edits))]);
  }
  return oneWord(field, edits === 0 ? [word] : alternatives(field, word, edits));
}

const oneWord = ({ code }: Field, words: readonly string[]): Filter =>
  oneOf(words.map((word) => code + mark.word + tokenText(word)));

const oneOf = (tokens: readonly string[]): Filter => ({
  [terms]: tokens.length === 1 ? tokens[0] : { $in: tokens },
});

const except = (...filters: readonly Filter[]): Filter => ({ $nor: filters });

/** The words narrow the search with the index; the pattern then checks their order in the document. */
function phraseFilter(field: Field, test: Words, alternatives: Alternatives): Filter {
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
    else if (!isPrefix) filters.push(oneWord(field, forms));
  });
  // Long words tend to be rare, and some query planners use the first word for the index scan.
  const tokens = [...new Set(whole)].sort((a, b) => b.length - a.length);
  if (tokens.length === 1) filters.unshift(oneWord(field, tokens));
  else if (tokens.length > 1) {
    filters.unshift({ [terms]: { $all: tokens.map((word) => field.code + mark.word + tokenText(word)) } });
  }
  const pattern =
    test.distance === undefined
      ? phrasePattern(field.code, phrase)
      : proximityPattern(field.code, test.words.map(tokenText), test.distance);
  return all([...filters, { 'search.texts': { $regex: pattern } }]);
}

/** Each character has a term or is a common symbol. The pattern then checks their order in the document. */
function literalFilter(field: Field, text: string): Filter {
  const { code, commonSymbols = '' } = field;
  const symbols = symbolsOf(text);
  const filters = symbols
    .filter((symbol) => !commonSymbols.includes(symbol))
    .map((symbol) => oneOf([code + mark.symbol + symbol]));
  const common = symbols.filter((symbol) => commonSymbols.includes(symbol));
  if (common.length > 0) filters.push(existsFilter(field), except(lackingOneOf(field, common)));
  if ([...text].length > 1) {
    filters.push({
      'search.texts': { $regex: `^${escapePattern(code)}${mark.symbol}.*${escapePattern(text)}` },
    });
  }
  return all(filters);
}

/** Matches records whose texts lack one of these common symbols. */
function lackingOneOf({ code, commonSymbols = '' }: Field, symbols: readonly string[]): Filter {
  const lacking = subsets([...commonSymbols]).filter((some) => symbols.some((one) => some.includes(one)));
  return oneOf(lacking.map((some) => code + mark.lacking + some.join('')));
}

const subsets = <T>([first, ...rest]: readonly T[]): T[][] =>
  first === undefined ? [[]] : subsets(rest).flatMap((some) => [some, [first, ...some]]);

/** A record has the expected number if, and only if, it lacks the term for the opposite. */
function numberFilter(field: Field, test: Between): Filter {
  if (!containsExpected(field, test)) return numbersOf(field, test);
  return any([except(unexpected(field)), unexpectedNumbers(field, test)]);
}

function containsExpected({ expected }: Field, { low, high }: Between): boolean {
  if (expected === undefined) return false;
  const isAbove = !low || (low.inclusive ? expected >= low.value : expected > low.value);
  return isAbove && (!high || (high.inclusive ? expected <= high.value : expected < high.value));
}

const unexpected = ({ code }: Field): Filter => oneOf([code + mark.unexpected]);

const unexpectedNumbers = (field: Field, test: Between): Filter =>
  any(codesOf(field).map((code) => termRange(code + mark.unexpectedNumber, test)));

function numbersOf(field: Field, test: Between): Filter {
  return any(codesOf(field).flatMap((code) => marksOf(field).map((one) => termRange(code + one, test))));
}

const codesOf = ({ code, fractions, type }: Field): readonly string[] =>
  fractions !== undefined && type === 'float' ? [code, fractions] : [code];

/** Matches records with a number in the range, in a form whose keys can be counted. */
const countableNumbers = (field: Field, marks: readonly string[], test: Between): Filter => ({
  [terms]: { $in: codesOf(field).flatMap((code) => marks.flatMap((one) => termsBetween(code + one, test))) },
});

function termRange(start: string, test: Between): Filter {
  const { low, high } = test;
  const only = singleValue(test);
  if (only !== undefined) return oneOf([start + sortable(only)]);
  if (!low && !high) return startsWith(start);
  const from = start + (low ? sortable(low.value) : '');
  const to = high ? start + sortable(high.value) : afterPrefix(start);
  return {
    [terms]: {
      $elemMatch: {
        [low?.inclusive === false ? '$gt' : '$gte']: from,
        [high?.inclusive === true ? '$lte' : '$lt']: to,
      },
    },
  };
}

function columnRange({ from, to, of = String }: Column, test: Between): unknown {
  const { low, high } = test;
  const only = singleValue(test);
  if (only !== undefined) return of(only);
  return {
    [low?.inclusive === false ? '$gt' : '$gte']: low ? of(low.value) : from,
    [high?.inclusive === true ? '$lte' : '$lt']: high ? of(high.value) : to,
  };
}

const singlePath = ({ code }: Field): string => `search.numbers.${code}`;

/** An open range starts at the smallest number, in order to exclude values that are not numbers. */
const withLow = (test: Between): Between =>
  test.low ? test : { ...test, low: { value: -Number.MAX_VALUE, inclusive: true } };

function singleValue({ low, high }: Between): number | undefined {
  return low?.inclusive && high?.inclusive && low.value === high.value ? low.value : undefined;
}

function between(test: Between): unknown {
  const { low, high } = test;
  return (
    singleValue(test) ?? {
      ...(low && { [low.inclusive ? '$gte' : '$gt']: low.value }),
      ...(high && { [high.inclusive ? '$lte' : '$lt']: high.value }),
    }
  );
}

/**
 * The number of records that meet a condition, as sums and differences of numbers that indexes can count: the number of
 * records without a term is that of all records less those with the term.
 */
export interface Tally {
  readonly plus: readonly Filter[];
  readonly minus: readonly Filter[];
}

export function conditionTally(condition: Condition, alternatives: Alternatives): Tally {
  const { field, test } = condition;
  if (test.kind === 'exists' && isUsual(field)) {
    return complement({ plus: [oneOf([field.code + mark.absent])], minus: [] });
  }
  if (test.kind === 'literal' && field.commonSymbols?.includes(test.text) && test.text.length === 1) {
    const { plus, minus } = conditionTally({ ...condition, test: { kind: 'exists' } }, alternatives);
    return { plus, minus: [...minus, lackingOneOf(field, [test.text])] };
  }
  if (test.kind === 'between' && !field.column && !field.single && singleValue(test) === undefined) {
    if (!containsExpected(field, test))
      return { plus: [countableNumbers(field, marksOf(field), test)], minus: [] };
    const others = countableNumbers(field, [mark.unexpectedNumber], test);
    return { plus: [everything, others], minus: [unexpected(field)] };
  }
  if (test.kind === 'between' && containsExpected(field, test)) {
    return { plus: [everything, unexpectedNumbers(field, test)], minus: [unexpected(field)] };
  }
  return { plus: [conditionFilter(condition, alternatives)], minus: [] };
}

const isUsual = ({ column, single, usual }: Field): boolean => usual === true && !column && !single;

/** The tally of all other records. */
export const complement = ({ plus, minus }: Tally): Tally => ({ plus: [everything, ...minus], minus: plus });

/** The conjunction of the filters. An empty conjunction matches everything. */
export function all(filters: readonly Filter[]): Filter {
  const parts = filters.flatMap((filter) =>
    '$and' in filter ? (filter['$and'] as readonly Filter[]) : [filter],
  );
  return parts.length === 0 ? {} : parts.length === 1 ? parts[0]! : { $and: parts };
}

/**
 * The disjunction of the filters. Tests for whole tokens are merged into a single `$in`, which needs only one index
 * scan.
 */
export function any(filters: readonly Filter[]): Filter {
  const tokens = new Set<string>();
  const others: Filter[] = [];
  for (const filter of filters.flatMap(choicesOf)) {
    const asked = tokensAsked(filter);
    if (!asked) others.push(filter);
    else for (const token of asked) tokens.add(token);
  }
  const choices = tokens.size === 0 ? others : [oneOf([...tokens]), ...others];
  return choices.length === 1 ? choices[0]! : { $or: choices };
}

const choicesOf = (filter: Filter): readonly Filter[] =>
  '$or' in filter ? (filter['$or'] as readonly Filter[]) : [filter];

function tokensAsked(filter: Filter): readonly string[] | undefined {
  const asked = filter[terms];
  if (typeof asked === 'string') return [asked];
  if (typeof asked === 'object' && asked !== null && '$in' in asked) {
    const list = asked.$in as readonly (string | RegExp)[];
    if (list.every((one) => typeof one === 'string')) return list;
  }
  return undefined;
}
