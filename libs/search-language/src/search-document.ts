import { parseDateUnit } from './date-unit';
import {
  isNumeric,
  isPresent,
  isText,
  itemsOf,
  type Field,
  type FieldCatalogue,
  type SearchableRecord,
} from './fields';
import { mark } from './search-terms';
import { dependsOnAllValues, Strings, UnusualTerms } from './unusual-terms';
import { RecurringTexts, searchedText } from './searched-text';
import { analysisCost, tokenText } from './text';

/** The index terms of a record, stored within its document under `search`. The elements of every array are distinct. */
export interface SearchDocument {
  /** Indexed strings: `in:shirt` is a word, `io=CL-1` an exact value, `it<wF--` a number, `ir?` an existing value. */
  readonly terms: readonly string[];
  /** Numbers and dates with a single value, keyed by field code, each with a separate index. See `withoutNumber`. */
  readonly numbers: Readonly<Record<string, number>>;
  /** Strings without an index: `in| red shirt ` for phrases, `in#*` for the characters between words. */
  readonly texts: readonly string[];
}

/**
 * The maximum total cost of splitting a record's texts into words (see `analysisCost`), about 100 ms: 400,000 letters,
 * or 6,250 of a script without spaces. Text beyond the limit is only known to exist.
 */
const analysisCostMax = 400_000;

/** The indexes that a collection of search documents needs. `arrival` is the order of arrival. */
export const searchIndexes = [
  { name: 'search_tokens', key: { retailer: 1, 'search.terms': 1, arrival: -1 } },
] as const;

/** The additional indexes of single numbers and dates. */
export const singleValueIndexes = (fields: FieldCatalogue) =>
  [...fields.values()]
    .filter(({ single }) => single)
    .map(({ path, code }) => ({
      name: `search_${path}`,
      key: { retailer: 1, [`search.numbers.${code}`]: 1, arrival: -1 } as const,
    }));

/** Stored for a single value that is not a number. It is outside every range. */
export const withoutNumber = -Infinity;

/** Caches texts of items, because item names recur. The texts of the record itself rarely do. */
const recurring = new RecurringTexts();

/** Reading an item costs as much as splitting this many letters into words. */
export const searchedItemCost = 50;
/**
 * The cost of one step, in the unit of `analysisCost`: about 2 ms of work. Only a single text can cost more, because a
 * text is never divided between steps.
 */
const stepCostMax = 20_000;

/** The search document of a record. The function is pure: its result depends only on the arguments. */
export function searchDocument(fields: FieldCatalogue, record: SearchableRecord): SearchDocument {
  const steps = searchDocumentInSteps(fields, record);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Computes the search document in steps, and yields the cost of each step after it. */
export function* searchDocumentInSteps(
  fields: FieldCatalogue,
  record: SearchableRecord,
): Generator<number, SearchDocument> {
  const terms = new Strings();
  const target: Target = {
    terms,
    numbers: {},
    texts: new Strings(),
    unusual: new UnusualTerms(terms),
    costLeft: analysisCostMax,
  };
  let done = 0;
  let costLeft = analysisCostMax;
  const costOfStep = () => done + costLeft - target.costLeft;
  const { ofRecord, ofItems, unusual } = byLevel(fields);
  const endStep = () => {
    const cost = costOfStep();
    done = 0;
    costLeft = target.costLeft;
    return cost;
  };
  for (const field of ofRecord) {
    if (costOfStep() >= stepCostMax) yield endStep();
    addValue(field, field.read(record), target);
  }
  for (const item of itemsOf(record)) {
    if (costOfStep() >= stepCostMax) yield endStep();
    done += searchedItemCost;
    for (const field of ofItems) addValue(field, field.read(item), target);
  }
  yield costOfStep();
  target.unusual.finish(unusual);
  return { terms: terms.list(), numbers: target.numbers, texts: target.texts.list() };
}

interface Levels {
  readonly ofRecord: readonly Field[];
  readonly ofItems: readonly Field[];
  /** The fields with terms that depend on all values of the record. */
  readonly unusual: readonly Field[];
}

/** The fields of each catalogue by level, cached. */
const levels = new WeakMap<FieldCatalogue, Levels>();

function byLevel(fields: FieldCatalogue): Levels {
  let parted = levels.get(fields);
  if (!parted) {
    // A float field that shares its values with an integer field has no separate terms.
    const all = [...fields.values()].filter(({ type, fractions }) => type === 'integer' || !fractions);
    parted = {
      ofRecord: all.filter(({ level }) => level === 'record'),
      ofItems: all.filter(({ level }) => level === 'item'),
      unusual: all.filter(dependsOnAllValues),
    };
    levels.set(fields, parted);
  }
  return parted;
}

interface Target {
  readonly terms: Strings;
  readonly numbers: Record<string, number>;
  readonly texts: Strings;
  readonly unusual: UnusualTerms;
  costLeft: number;
}

function addValue(field: Field, value: unknown, target: Target): void {
  if (value === null || value === undefined) return;
  const { code, type } = field;
  if (type === 'exists') {
    if (isPresent(value)) addPresence(field, target);
  } else if (Array.isArray(value)) {
    for (const element of value) addValue(field, element, target);
  } else if (!isPresent(value)) {
    return;
  } else if (field.single) {
    target.numbers[code] = numberOf(type, value) ?? withoutNumber;
  } else if (isNumeric(type)) {
    addNumber(field, value, target);
  } else {
    const text = textOf(value);
    if (text === undefined) addPresence(field, target);
    else if (isText(type)) addText(field, text, target);
    else addExact(field, text, target);
  }
}

function addPresence(field: Field, { terms, unusual }: Target): void {
  if (field.usual) unusual.notePresence(field);
  else if (!field.column) terms.add(field.code + mark.present);
}

function addExact(field: Field, text: string, { terms, unusual }: Target): void {
  if (field.column) return;
  if (field.usual) unusual.notePresence(field);
  terms.add(field.code + mark.exact + tokenText(text));
}

function addNumber(field: Field, value: unknown, target: Target): void {
  const { code, fractions, type, usual } = field;
  const whole = numberOf(type, value);
  const number = whole ?? (fractions ? numberOf('float', value) : null);
  if (number === null || usual) addPresence(field, target);
  if (number === null || field.column) return;
  target.unusual.addNumber(field, whole === null && fractions ? fractions : code, number);
}

function addText(field: Field, text: string, target: Target): void {
  if (field.usual) target.unusual.notePresence(field);
  const cost = analysisCost(text);
  if (cost > target.costLeft) {
    addPresence(field, target);
    if (field.commonSymbols !== undefined) target.unusual.noteSymbols(field, '');
    return;
  }
  target.costLeft -= cost;
  const said = field.level === 'item' ? recurring.get(field, text) : searchedText(field, text);
  for (const token of said.tokens) target.terms.add(token);
  for (const phrase of said.phrases) target.texts.add(phrase);
  if (field.commonSymbols !== undefined) target.unusual.noteSymbols(field, said.commonSymbols);
}

/** A scalar value as text; undefined for objects. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

const wholeNumber = /^[+-]?\d+$/;
const decimalNumber = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * A value as a number of the given type; a date as the epoch milliseconds of its first instant. Null if it is invalid:
 * an integer field accepts only integers, and numbers must be within the range of a double.
 */
export function numberOf(type: Field['type'], value: unknown): number | null {
  if (type === 'date') {
    if (value instanceof Date) return finite(value.getTime());
    if (typeof value === 'number') return finite(value);
    return typeof value === 'string' ? (parseDateUnit(value)?.from ?? null) : null;
  }
  if (typeof value === 'string') {
    const form = type === 'integer' ? wholeNumber : decimalNumber;
    return form.test(value) ? finite(Number(value)) : null;
  }
  if (typeof value !== 'number' || (type === 'integer' && !Number.isInteger(value))) return null;
  return finite(value);
}

/** Adding zero turns -0 into 0, which is equal but has a different key. */
const finite = (value: number): number | null => (Number.isFinite(value) ? value + 0 : null);
