import type { Bound, Test } from './condition-tree';
import { parseDateUnit } from './date-unit';
import { automaticEdits } from './edit-distance';
import { isText, type Field } from './fields';
import { invalidQuery, invalidQueryAt } from './invalid-query';
import { numberOf } from './search-document';
import type { ComparisonValue, GroupValue, PhraseValue, RangeValue, TermValue, Value } from './syntax';
import { literalOf, prefixCharactersMax, wordsOf } from './text';

/** The maximum N in `"a b"~N`. */
const distanceMax = 30;
/**
 * The maximum number of words in a phrase with `~`, quoted or not, because each one adds expansions or enlarges the
 * pattern.
 */
const looseWordsMax = 8;

type SingleValue = Exclude<Value, GroupValue>;

/**
 * Binds a value to a test, by the field's type.
 * @throws ServiceError 400 `invalid_query` if the type does not support this kind of value.
 */
export function bindValue(text: string, field: Field, value: SingleValue): Test {
  if (value.kind === 'exists' || isOpenRange(value)) return { kind: 'exists' };
  if (field.type === 'exists') throw invalidQuery(`${field.path} only supports existence tests`);
  if (isText(field.type)) return bindText(text, field, value);
  return field.type === 'exact' ? bindExact(text, field, value) : bindNumber(text, field, value);
}

/** `[* TO *]` is equivalent to `*`. */
const isOpenRange = (value: SingleValue): boolean =>
  value.kind === 'range' && value.low === undefined && value.high === undefined;

function bindText(source: string, field: Field, value: SingleValue): Test {
  const refuse = refusal(source, field, value);
  if (value.kind === 'range' || value.kind === 'exists') throw refuse('does not support ranges');
  // In text fields `>` and `<` are ordinary characters.
  const text = value.kind === 'comparison' ? value.operator + value.text : value.text;
  const words = wordsOf(text);
  if (words.length === 0) {
    const literal = literalOf(text);
    return literal === '' ? { kind: 'exists' } : { kind: 'literal', text: literal };
  }
  // A distance of 0, which is also the default of `~`, is an ordinary phrase.
  const distance = value.kind === 'phrase' && words.length > 1 ? value.distance || undefined : undefined;
  if (distance !== undefined) checkDistance(words, distance, refuse);
  const { fuzzy, isFuzzy, marked } = loosenessOf(value);
  const last = words[words.length - 1]!;
  checkLoose(words, { isFuzzy, marked }, refuse);
  const lastIsPrefix = marked || (field.type === 'prefix' && distance === undefined && !isLong(last));
  const edits = words.map((word) => (fuzzy === 'auto' ? automaticEdits(word) : fuzzy));
  // As in Lucene, a word with both * and ~ is a prefix; the ~ is ignored.
  if (marked) edits[words.length - 1] = 0;
  return { kind: 'words', words, lastIsPrefix, edits, distance };
}

/** The meaning of `~` and `*` after a value. */
function loosenessOf(value: SingleValue) {
  const term = value.kind === 'term' ? value : undefined;
  return {
    fuzzy: term?.edits ?? 0,
    isFuzzy: term?.edits !== undefined,
    marked: term?.prefix === true,
  };
}

/** @param marked whether the last word ends in `*` */
function checkLoose(
  words: readonly string[],
  { isFuzzy, marked }: { readonly isFuzzy: boolean; readonly marked: boolean },
  refuse: Refuse,
): void {
  if (isFuzzy && words.length > looseWordsMax) {
    throw refuse(`supports at most ${looseWordsMax} words with ~`);
  }
  const loose = isFuzzy ? words : marked ? words.slice(-1) : [];
  if (loose.some(isLong)) {
    throw refuse(`supports words of at most ${prefixCharactersMax} characters with * or ~`);
  }
}

const isLong = (word: string): boolean => word.length > prefixCharactersMax;

function checkDistance(words: readonly string[], distance: number, refuse: Refuse): void {
  if (distance > distanceMax) throw refuse(`supports a distance of at most ${distanceMax}`);
  if (words.length > looseWordsMax) throw refuse(`supports at most ${looseWordsMax} words with ~`);
  if (new Set(words).size < words.length) throw refuse('does not support the same word twice with ~');
}

function bindExact(source: string, field: Field, value: SingleValue): Test {
  const refuse = refusal(source, field, value);
  if (value.kind !== 'phrase' && value.kind !== 'term') throw refuse('does not support ranges');
  if (isLoose(value)) throw refuse('does not support similar words (~)');
  if (value.kind === 'phrase' || !value.prefix) return { kind: 'equals', text: value.text };
  if (isLong(value.text)) throw refuse(`supports at most ${prefixCharactersMax} characters before *`);
  return { kind: 'startsWith', text: value.text };
}

function bindNumber(source: string, field: Field, value: SingleValue): Test {
  const refuse = refusal(source, field, value);
  if (value.kind === 'range') return bindRange(field, value);
  if (value.kind === 'comparison') return bindComparison(field, value);
  if (value.kind === 'exists') return value;
  if (isLoose(value)) throw refuse('does not support similar words (~)');
  if (value.kind === 'term' && value.prefix) throw refuse('does not support wildcards (*)');
  const { from, to } = unitOf(field, value.text);
  if (to === undefined) {
    const bound = { value: from, inclusive: true };
    return { kind: 'between', low: bound, high: bound };
  }
  return { kind: 'between', low: { value: from, inclusive: true }, high: { value: to, inclusive: false } };
}

const isLoose = (value: PhraseValue | TermValue): boolean =>
  value.kind === 'phrase' ? value.distance !== undefined : value.edits !== undefined;

function bindRange(field: Field, value: RangeValue): Test {
  const low = value.low === undefined ? undefined : lowBound(field, value.low, value.includesLow);
  const high = value.high === undefined ? undefined : highBound(field, value.high, value.includesHigh);
  return { kind: 'between', low, high };
}

function bindComparison(field: Field, value: ComparisonValue): Test {
  const inclusive = value.operator.endsWith('=');
  return value.operator.startsWith('>')
    ? { kind: 'between', low: lowBound(field, value.text, inclusive), high: undefined }
    : { kind: 'between', low: undefined, high: highBound(field, value.text, inclusive) };
}

/** The bound is the start of the unit, or its end if the bound is exclusive, as in Elasticsearch's date rounding. */
function lowBound(field: Field, text: string, inclusive: boolean): Bound {
  const { from, to } = unitOf(field, text);
  if (to === undefined) return { value: from, inclusive };
  return { value: inclusive ? from : to, inclusive: true };
}

function highBound(field: Field, text: string, inclusive: boolean): Bound {
  const { from, to } = unitOf(field, text);
  if (to === undefined) return { value: from, inclusive };
  return { value: inclusive ? to : from, inclusive: false };
}

const expected = { integer: 'an integer', float: 'a number', date: 'a date' };

/** The range of instants that a date covers; `to` is exclusive. A number has no `to`. */
function unitOf(field: Field, text: string): { from: number; to: number | undefined } {
  if (field.type === 'date') {
    const unit = parseDateUnit(text);
    if (unit) return unit;
  } else {
    const value = numberOf(field.type, text);
    if (value !== null) return { from: value, to: undefined };
  }
  throw invalidQuery(`${field.path} expects ${expected[field.type as keyof typeof expected]}`);
}

type Refuse = (detail: string) => Error;

function refusal(source: string, field: Field, value: SingleValue): Refuse {
  return (detail) => invalidQueryAt(`${field.path} ${detail}`, source, value.at.start);
}
