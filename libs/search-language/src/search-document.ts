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

/** A number or a date (epoch milliseconds) of a field. A value of another kind is null: it is there, and equals nothing. */
export interface Measure {
  readonly f: string;
  readonly v: number | null;
}

/**
 * What a record is found by; it is kept within the record's own document, under `search`. Every array holds each
 * element once.
 */
export interface SearchDocument {
  /** Indexed strings: `in:shirt` a word, `io=CL-1` an exact value, `ir?` there is something. */
  readonly t: readonly string[];
  /** Indexed numbers and dates. */
  readonly n: readonly Measure[];
  /** Numbers and dates of which there is one, by the field's code, each with an index of its own. See `withoutNumber`. */
  readonly s: Readonly<Record<string, number>>;
  /** Strings without an index: as `t` for common values; `in| red shirt ` for phrases, `in#*` for symbols. */
  readonly u: readonly string[];
  /** Numbers without an index. */
  readonly m: readonly Measure[];
}

/**
 * The most elements that each array takes. A receipt comes near only with about a thousand items or more; what is
 * beyond is not found, and the record's own fields go first.
 */
export const searchElementsMax = 10_000;

/**
 * So much of all texts of a record is cut into words (see `analysisCost`), which is some 100 ms of work: 400,000 letters, or
 * 6,250 of a script without blanks. Of a text beyond it is only known that it is there.
 */
const analysisCostMax = 400_000;

/** The indexes that the owner of a collection declares so that searches are served; `seq` is its arrival order. */
export const searchIndexes = [
  { name: 'search_tokens', key: { retailer: 1, 'search.t': 1, seq: -1 } },
  { name: 'search_numbers', key: { retailer: 1, 'search.n.f': 1, 'search.n.v': 1 } },
] as const;

/** The indexes that single numbers and dates need besides: an owner declares those of the fields that it searches. */
export const singleValueIndexes = (fields: FieldCatalogue) =>
  [...fields.values()]
    .filter(({ single }) => single)
    .map(({ path, code }) => ({
      name: `search_${path}`,
      key: { retailer: 1, [`search.s.${code}`]: 1, seq: -1 } as const,
    }));

/** Stands for a single value that is there and is no number: it equals nothing, and no range begins so low. */
export const withoutNumber = -Infinity;

/** Names of articles come again and again; what a record says of itself hardly ever does. */
const recurring = new RecurringTexts();

/** Pure: the same record and fields always give the same document. */
export function searchDocument(fields: FieldCatalogue, record: SearchableRecord): SearchDocument {
  const target: Target = {
    t: new Strings(),
    n: new Measures(),
    s: {},
    u: new Strings(),
    m: new Measures(),
    costLeft: analysisCostMax,
  };
  const { ofRecord, ofItems } = byLevel(fields);
  for (const field of ofRecord) addValue(field, field.read(record), target);
  for (const item of itemsOf(record)) {
    for (const field of ofItems) addValue(field, field.read(item), target);
  }
  return { t: target.t.list(), n: target.n.list(), s: target.s, u: target.u.list(), m: target.m.list() };
}

interface Levels {
  readonly ofRecord: readonly Field[];
  readonly ofItems: readonly Field[];
}

/** The fields of a catalogue, parted once. */
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

/** A scalar as text; undefined for objects. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

const wholeNumber = /^[+-]?\d+$/;
const decimalNumber = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * A value as a number of the given type; a date is the epoch milliseconds of its first instant. Null when it is none:
 * an integer field takes only integral values, and nothing takes more than a double holds.
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

/** Adding zero turns -0 into 0, which equals it but is another key. */
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
