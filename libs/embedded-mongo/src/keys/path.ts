import { FieldReader, getField, type BsonValue } from '../bson/value';
import { BsonType } from '../bson/types';

/** A segment of a dotted path. `index` is its value as an array index, or -1. */
export interface Segment {
  readonly name: string;
  readonly bytes: Buffer;
  readonly index: number;
}

/** A dotted path such as `items.0.name`. */
export interface Path {
  readonly text: string;
  readonly segments: readonly Segment[];
}

const arrayIndex = /^(0|[1-9]\d{0,8})$/;

export const segmentOf = (name: string): Segment => ({
  name,
  bytes: Buffer.from(name),
  index: arrayIndex.test(name) ? Number(name) : -1,
});

export const pathOf = (text: string): Path => ({ text, segments: text.split('.').map(segmentOf) });

/** The array element at an index, or undefined. */
export function elementAt(array: BsonValue, index: number): BsonValue | undefined {
  const r = new FieldReader(array);
  for (let i = 0; r.next(); i++) if (i === index) return r.value;
  return undefined;
}

export type ValueTest = (v: BsonValue | undefined) => boolean;

/**
 * True if any value at a path passes a test, by MongoDB's rules: arrays on the path are searched element by element. An
 * array at its end is tested as a whole and, with `expand`, element by element. A missing field is tested as undefined,
 * except within an array that contains no documents, where nothing is tested.
 */
export function anyValue(
  doc: BsonValue,
  segments: readonly Segment[],
  at: number,
  test: ValueTest,
  expand: boolean,
): boolean {
  return anyFrom(getField(doc, segments[at]!.bytes), segments, at + 1, test, expand);
}

function anyFrom(
  v: BsonValue | undefined,
  segments: readonly Segment[],
  at: number,
  test: ValueTest,
  expand: boolean,
): boolean {
  if (at === segments.length) {
    if (expand && v !== undefined && v.type === BsonType.array && anyElement(v, test)) return true;
    return test(v);
  }
  if (v === undefined) return test(undefined);
  if (v.type === BsonType.object) return anyValue(v, segments, at, test, expand);
  if (v.type !== BsonType.array) return test(undefined);
  return anyBelowArray(v, segments, at, test, expand);
}

export function anyElement(array: BsonValue, test: ValueTest): boolean {
  const r = new FieldReader(array);
  while (r.next()) if (test(r.value)) return true;
  return false;
}

function anyBelowArray(
  array: BsonValue,
  segments: readonly Segment[],
  at: number,
  test: ValueTest,
  expand: boolean,
): boolean {
  const position = segments[at]!.index;
  const r = new FieldReader(array);
  for (let i = 0; r.next(); i++) {
    if (r.type === BsonType.object && anyValue(r.value, segments, at, test, expand)) return true;
    if (i !== position) continue;
    // An element named by its position is tested as a whole. If that element is an array, it is not searched.
    if (at + 1 === segments.length) {
      if (test(r.value)) return true;
    } else if (r.type === BsonType.object || r.type === BsonType.array) {
      if (anyFrom(r.value, segments, at + 1, test, expand)) return true;
    }
  }
  return false;
}
