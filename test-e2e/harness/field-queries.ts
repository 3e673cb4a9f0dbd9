import fc from 'fast-check';
import { wordsOf, type Field, type FieldCatalogue, type SearchableRecord } from '@receipts/search-language';

/** A query with a condition on this field, perhaps among others. */
export interface FieldQuery {
  readonly path: string;
  readonly query: string;
}

const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;
const symbols = fc.constantFrom('"☃"', '"*"', '"€"', '"@"', '"-"', '"."', '"* *"');
const modifiers = fc.constantFrom('', '+', '-');

function scalarsOf(field: Field, records: readonly SearchableRecord[]): unknown[] {
  const holders = (record: SearchableRecord) =>
    field.level === 'record' ? [record] : (record['items'] as readonly SearchableRecord[]);
  const values = records.flatMap(holders).map((holder) => field.read(holder));
  const flat = (values as unknown[][]).flat(Infinity);
  return [...new Set(flat)].filter((value) => value !== null && ['string', 'number'].includes(typeof value));
}

const oneOf = (values: readonly string[], fallback: string): fc.Arbitrary<string> =>
  values.length === 0 ? fc.constant(fallback) : fc.constantFrom(...values);

function ranges(bound: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const open = fc.oneof({ weight: 3, arbitrary: bound }, fc.constant('*'));
  const between = fc.tuple(fc.constantFrom('[', '{'), open, open, fc.constantFrom(']', '}'));
  return between.map(([start, low, high, end]) => `${start}${low} TO ${high}${end}`);
}

function textValues(texts: readonly string[]): fc.Arbitrary<string> {
  const split = texts.map((text) => wordsOf(text)).filter((words) => words.length > 0);
  const words = oneOf(split.flat(), 'unknown');
  const phrases = split.filter(({ length }) => length > 1).map((some) => quoted(some.slice(0, 2).join(' ')));
  return fc.oneof(
    words,
    words.map((word) => `${word.slice(0, Math.ceil(word.length / 2))}*`),
    oneOf(phrases, '"not there"'),
    symbols,
    fc.constant('unheardof'),
  );
}

function valuesOf(field: Field, records: readonly SearchableRecord[]): fc.Arbitrary<string> {
  const scalars = scalarsOf(field, records).map(String);
  switch (field.type) {
    case 'exists':
      return fc.constant('*');
    case 'partial':
    case 'prefix':
      return textValues(scalars);
    case 'exact':
      return fc.oneof(oneOf(scalars.map(quoted), 'unknown'), fc.constant('"not there"'), fc.constant('un*'));
    case 'date': {
      const days = oneOf(
        scalars.map((moment) => moment.slice(0, 10)),
        '2024-02-29',
      );
      return fc.oneof(days, ranges(days), fc.constantFrom('1999', '2024'));
    }
    case 'integer':
    case 'float': {
      const isWhole = (text: string) => Number.isInteger(Number(text));
      const fitting = field.type === 'integer' ? scalars.filter(isWhole) : scalars;
      const numbers = fc.oneof(
        { weight: 3, arbitrary: oneOf(fitting, '7') },
        fc.constantFrom('0', '1', '2', '98765', '-3'),
      );
      return fc.oneof(numbers, ranges(numbers));
    }
  }
}

/** A single condition on a field, with values that occur in these records or in none. */
export function fieldCondition(field: Field, records: readonly SearchableRecord[]): fc.Arbitrary<FieldQuery> {
  const value = fc.oneof({ weight: 6, arbitrary: valuesOf(field, records) }, fc.constant('*'));
  return fc.tuple(modifiers, value).map(([modifier, text]) => ({
    path: field.path,
    query: `${modifier}${field.path}:${text}`,
  }));
}

/** Queries of one to three conditions on any fields. */
export function fieldQueries(
  fields: FieldCatalogue,
  records: readonly SearchableRecord[],
): fc.Arbitrary<FieldQuery> {
  const conditions = [...fields.values()].map((field) => fieldCondition(field, records));
  const condition = fc.nat(conditions.length - 1).chain((at) => conditions[at] as fc.Arbitrary<FieldQuery>);
  const several = fc.array(condition, { minLength: 2, maxLength: 3 }).map((parts) => ({
    path: 'several fields',
    query: parts.map(({ query }) => query).join(' '),
  }));
  return fc.oneof({ weight: 3, arbitrary: condition }, several);
}
