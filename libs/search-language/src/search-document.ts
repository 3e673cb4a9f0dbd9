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
import { presenceMark, RecurringTexts, searchedText } from './searched-text';
import { analysisCost, tokenText } from './text';

/**
 * A number or date (epoch milliseconds) of a field. A value of another type is null: it exists, but does not equal
 * anything.
 */
export interface Measure {
  readonly f: string;
  readonly v: number | null;
}

/** The index terms of a record, stored within its document under `search`. The elements of every array are distinct. */
export interface SearchDocument {
  /** Indexed strings: `in:shirt` is a word, `io=CL-1` an exact value, `ir?` an existing value. */
  readonly t: readonly string[];
  /** Indexed numbers and dates. */
  readonly n: readonly Measure[];
  /** Numbers and dates with a single value, by the field's code, each with a separate index. See `withoutNumber`. */
  readonly s: Readonly<Record<string, number>>;
  /**
   * Strings without an index: in the form of `t` for common values; `in| red shirt ` for phrases, `in#*` for symbols.
   */
  readonly u: readonly string[];
  /** Numbers and dates without an index. */
  readonly m: readonly Measure[];
}

/**
 * The maximum number of elements in each array. Only receipts of about a thousand items or more reach it. Further
 * elements are not searchable; the record's own fields come before those of items.
 */
export const searchElementsMax = 10_000;

/**
 * The maximum total cost of splitting a record's texts into words (see `analysisCost`), about 100 ms: 400,000 letters,
 * or 6,250 of a script without spaces. Texts beyond it are only known to exist.
 */
const analysisCostMax = 400_000;

/** The indexes that a collection of search documents needs. `seq` is the order of arrival. */
export const searchIndexes = [
  { name: 'search_tokens', key: { retailer: 1, 'search.t': 1, seq: -1 } },
  { name: 'search_numbers', key: { retailer: 1, 'search.n.f': 1, 'search.n.v': 1 } },
] as const;

/** The additional indexes of single numbers and dates. */
export const singleValueIndexes = (fields: FieldCatalogue) =>
  [...fields.values()]
    .filter(({ single }) => single)
    .map(({ path, code }) => ({
      name: `search_${path}`,
      key: { retailer: 1, [`search.s.${code}`]: 1, seq: -1 } as const,
    }));

/** Stored for a single value that is not a number. No range includes it. */
export const withoutNumber = -Infinity;

/** Caches texts of items, because article names recur. Texts of the record itself rarely do. */
const recurring = new RecurringTexts();

/** Reading an item costs as much as cutting this many letters into words. */
export const searchedItemCost = 50;
/**
 * The cost of one part, in the unit of `analysisCost`: about 2 ms of work. Only a single text can cost more, because a text is
 * cut as a whole.
 */
const partCostMax = 20_000;

/** The search document of a record. The function is pure: its result depends only on the arguments. */
export function searchDocument(fields: FieldCatalogue, record: SearchableRecord): SearchDocument {
  const parts = searchDocumentInParts(fields, record);
  for (;;) {
    const { done, value } = parts.next();
    if (done === true) return value;
  }
}

/** Computes the search document in parts. After each part it yields the cost of the part. */
export function* searchDocumentInParts(
  fields: FieldCatalogue,
  record: SearchableRecord,
): Generator<number, SearchDocument> {
  const target: Target = {
    t: new Strings(),
    n: new Measures(),
    s: {},
    u: new Strings(),
    m: new Measures(),
    costLeft: analysisCostMax,
  };
  let done = 0;
  let costLeft = analysisCostMax;
  const costOfPart = () => done + costLeft - target.costLeft;
  const { ofRecord, ofItems } = byLevel(fields);
  for (const field of ofRecord) addValue(field, field.read(record), target);
  for (const item of itemsOf(record)) {
    if (costOfPart() >= partCostMax) {
      yield costOfPart();
      done = 0;
      costLeft = target.costLeft;
    }
    done += searchedItemCost;
    for (const field of ofItems) addValue(field, field.read(item), target);
  }
  yield costOfPart();
  return { t: target.t.list(), n: target.n.list(), s: target.s, u: target.u.list(), m: target.m.list() };
}

interface Levels {
  readonly ofRecord: readonly Field[];
  readonly ofItems: readonly Field[];
}

/** The fields of each catalogue by level, cached. */
const levels = new WeakMap<FieldCatalogue, Levels>();

function byLevel(fields: FieldCatalogue): Levels {
  let parted = levels.get(fields);
  if (!parted) {
    const all = [...fields.values()];
    parted = {
      ofRecord: all.filter(({ level }) => level === 'record'),
      ofItems: all.filter(({ level }) => level === 'item'),
    };
    levels.set(fields, parted);
  }
  return parted;
}

interface Target {
  readonly t: Strings;
  readonly n: Measures;
  readonly s: Record<string, number>;
  readonly u: Strings;
  readonly m: Measures;
  costLeft: number;
}

function addValue(field: Field, value: unknown, target: Target): void {
  if (value === null || value === undefined) return;
  const { code, type } = field;
  const strings = field.indexed ? target.t : target.u;
  if (type === 'exists') {
    if (isPresent(value)) strings.add(code + presenceMark);
  } else if (Array.isArray(value)) {
    for (const element of value) addValue(field, element, target);
  } else if (!isPresent(value)) {
    return;
  } else if (field.single) {
    target.s[code] = numberOf(type, value) ?? withoutNumber;
  } else if (isNumeric(type)) {
    (field.indexed ? target.n : target.m).add(code, numberOf(type, value));
  } else {
    const text = textOf(value);
    if (text === undefined) strings.add(code + presenceMark);
    else if (isText(type)) addText(field, text, strings, target);
    else strings.add(`${code}=${tokenText(text)}`);
  }
}

function addText({ code, level }: Field, text: string, strings: Strings, target: Target): void {
  const cost = analysisCost(text);
  if (cost > target.costLeft) {
    strings.add(code + presenceMark);
    return;
  }
  target.costLeft -= cost;
  const said = level === 'item' ? recurring.get(code, text) : searchedText(code, text);
  for (const token of said.tokens) strings.add(token);
  for (const phrase of said.phrases) target.u.add(phrase);
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

class Strings {
  private readonly seen = new Set<string>();

  add(element: string): void {
    if (this.seen.size < searchElementsMax) this.seen.add(element);
  }

  list(): string[] {
    return [...this.seen];
  }
}

class Measures {
  private readonly seen = new Map<string, Set<number | null>>();
  private count = 0;

  add(f: string, v: number | null): void {
    let values = this.seen.get(f);
    if (!values) this.seen.set(f, (values = new Set()));
    if (values.has(v) || this.count >= searchElementsMax) return;
    values.add(v);
    this.count++;
  }

  list(): Measure[] {
    const all: Measure[] = [];
    for (const [f, values] of this.seen) for (const v of values) all.push({ f, v });
    return all;
  }
}
