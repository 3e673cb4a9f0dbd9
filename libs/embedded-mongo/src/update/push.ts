import { MongoError, badValue } from '../errors';
import { compare } from '../bson/compare';
import { isNumber, numberOf } from '../bson/number';
import { print } from '../bson/print';
import { BsonType, typeName } from '../bson/types';
import { elementsOf, fieldsOf, firstFieldName, type BsonValue } from '../bson/value';
import { parseSort, sortKey } from '../query/sort';
import { objectOf } from '../bson/write';
import { arrayAt, mustBeArray, type Operator } from './operator';
import { ArrayTree, toVal, type Tree } from './tree';

interface PushClauses {
  readonly values: readonly BsonValue[];
  readonly position: number | undefined;
  readonly slice: number | undefined;
  readonly order: ((a: Tree, b: Tree) => number) | undefined;
}

export function compilePush(value: BsonValue, path: string): Operator {
  const clauses = parseClauses(value);
  return {
    creates: true,
    apply: (place, context) => {
      const array = arrayAt(place, mustBeArray(path, context));
      const target = array ?? new ArrayTree();
      push(target.items, clauses);
      if (array === undefined) place.set(target);
    },
  };
}

function push(items: Tree[], c: PushClauses): void {
  const n = items.length;
  const at =
    c.position === undefined ? n : c.position < 0 ? Math.max(0, n + c.position) : Math.min(n, c.position);
  items.splice(at, 0, ...c.values);
  if (c.order) items.sort(c.order);
  if (c.slice === undefined) return;
  if (c.slice >= 0) items.splice(c.slice);
  else items.splice(0, Math.max(0, items.length + c.slice));
}

function parseClauses(value: BsonValue): PushClauses {
  if (value.type !== BsonType.object || firstFieldName(value)?.startsWith('$') !== true) {
    return { values: [value], position: undefined, slice: undefined, order: undefined };
  }
  const clauses = new Map(fieldsOf(value));
  const each = clauses.get('$each');
  if (each === undefined) {
    // Without $each, a document with a $-prefixed field is not storable.
    throw new MongoError(
      52,
      `The dollar ($) prefixed field '${firstFieldName(value)!}' is not valid for storage.`,
    );
  }
  if (each.type !== BsonType.array) {
    throw badValue(
      `The argument to $each in $push must be an array but it was of type: ${typeName(each.type)}`,
    );
  }
  for (const name of clauses.keys()) {
    if (!['$each', '$slice', '$sort', '$position'].includes(name)) {
      throw badValue(`Unrecognized clause in $push: ${name}`);
    }
  }
  return {
    values: elementsOf(each),
    position: integer(clauses.get('$position'), '$position'),
    slice: integer(clauses.get('$slice'), '$slice'),
    order: orderOf(clauses.get('$sort')),
  };
}

function integer(v: BsonValue | undefined, name: string): number | undefined {
  if (v === undefined) return undefined;
  const n = isNumber(v) ? numberOf(v) : NaN;
  if (!Number.isInteger(n)) {
    throw badValue(`The value for ${name} must be an integer value but was given type: ${typeName(v.type)}`);
  }
  return n;
}

function orderOf(v: BsonValue | undefined): ((a: Tree, b: Tree) => number) | undefined {
  if (v === undefined) return undefined;
  if (isNumber(v)) {
    const direction = numberOf(v);
    if (direction !== 1 && direction !== -1) throw badValue('The $sort element value must be either 1 or -1');
    return (a, b) => direction * compare(toVal(a), toVal(b));
  }
  if (v.type !== BsonType.object) {
    throw badValue(
      'The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort embedded fields',
    );
  }
  const sort = parseSort(v);
  if (sort === undefined)
    throw badValue(`The $sort pattern is empty when it should be a set of fields: ${print(v)}`);
  const keyOf = (t: Tree): Buffer => {
    const x = toVal(t);
    return sortKey(sort, x.type === BsonType.object ? x : objectOf([]));
  };
  return (a, b) => keyOf(a).compare(keyOf(b));
}
