import { badValue, failedToParse } from '../errors';
import { compare } from '../bson/compare';
import { UNDEFINED } from '../bson/make';
import { isNumber, numberOf } from '../bson/number';
import { print } from '../bson/print';
import { T } from '../bson/types';
import { FieldReader, fieldsOf, getField, type Val } from '../bson/value';
import { KeyWriter } from '../keys/key-writer';
import { elementAt, pathOf, type Path } from '../keys/path';

export interface SortField {
  readonly path: Path;
  readonly descending: boolean;
}

/** A sort order; `natural` is 1 or -1 for $natural, else 0. */
export interface Sort {
  readonly fields: readonly SortField[];
  readonly natural: number;
}

const SORT_FIELDS_MAX = 32;

/** Reads a sort document; undefined when it is absent or empty. */
export function parseSort(sort: Val | undefined): Sort | undefined {
  if (sort === undefined || sort.type === T.NULL) return undefined;
  if (sort.type !== T.OBJECT) throw failedToParse(`Expected sort to be an object, got ${print(sort)}`);
  const fields: SortField[] = [];
  for (const [name, v] of fieldsOf(sort)) {
    if (v.type === T.OBJECT) throw badValue(`Illegal key in $sort specification: ${name}: ${print(v)}`);
    const direction = isNumber(v) ? numberOf(v) : 0;
    if (direction !== 1 && direction !== -1) {
      throw badValue('$sort key ordering must be 1 (for ascending) or -1 (for descending)');
    }
    if (name === '$natural') return { fields: [], natural: direction };
    if (name === '' || name.split('.').includes(''))
      throw badValue('FieldPath field names may not be empty strings.');
    if (name.startsWith('$'))
      throw badValue(`FieldPath field names may not start with '$', given '${name}'.`);
    fields.push({ path: pathOf(name), descending: direction < 0 });
  }
  if (fields.length > SORT_FIELDS_MAX) throw badValue(`sort has too many fields, at most ${SORT_FIELDS_MAX}`);
  return fields.length === 0 ? undefined : { fields, natural: 0 };
}

const writer = new KeyWriter();

/**
 * The key by which a document sorts: ascending fields take the least of an array's elements, descending the greatest; an
 * empty array sorts below null, a missing field as null.
 */
export function sortKey(sort: Sort, doc: Val): Buffer {
  writer.reset();
  for (const f of sort.fields) {
    const start = writer.length;
    writer.value(extreme(doc, f));
    if (f.descending) writer.invert(start);
  }
  return writer.take();
}

function extreme(doc: Val, f: SortField): Val | undefined {
  let best: Val | undefined;
  let any = false;
  const better = (v: Val | undefined): void => {
    if (!any) {
      any = true;
      best = v;
      return;
    }
    const c = compareMissing(v, best);
    if (f.descending ? c > 0 : c < 0) best = v;
  };
  reach(getField(doc, f.path.segments[0]!.bytes), f.path, 1, better);
  return best;
}

/** Every value as an index would file it. */
function reach(v: Val | undefined, path: Path, at: number, visit: (v: Val | undefined) => void): void {
  const { segments } = path;
  if (v !== undefined && v.type === T.ARRAY) {
    const position = at < segments.length ? segments[at]!.index : -1;
    const element = position < 0 ? undefined : elementAt(v, position);
    if (element !== undefined) return reach(element, path, at + 1, visit);
    const r = new FieldReader(v);
    let any = false;
    while (r.next()) {
      any = true;
      if (at === segments.length) visit(r.value);
      else if (r.type === T.OBJECT) reach(getField(r.value, segments[at]!.bytes), path, at + 1, visit);
      else visit(undefined);
    }
    if (!any) visit(at === segments.length ? UNDEFINED : undefined);
    return;
  }
  if (at === segments.length) return visit(v);
  if (v !== undefined && v.type === T.OBJECT)
    return reach(getField(v, segments[at]!.bytes), path, at + 1, visit);
  visit(undefined);
}

function compareMissing(a: Val | undefined, b: Val | undefined): number {
  if (a === undefined) return b === undefined ? 0 : b.class < 5 ? 1 : b.type === T.NULL ? 0 : -1;
  if (b === undefined) return -compareMissing(b, a);
  return compare(a, b);
}
