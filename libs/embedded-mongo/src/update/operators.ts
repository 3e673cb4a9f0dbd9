import { badValue, typeMismatch } from '../errors';
import { compare, equal } from '../bson/compare';
import { addNumbers, isNumber, numberOf } from '../bson/number';
import { print } from '../bson/print';
import { BsonType, typeName } from '../bson/types';
import { elementsOf, fieldsOf, firstFieldName, type BsonValue } from '../bson/value';
import { compileFilter } from '../query/match';
import { parseFilter } from '../query/parse';
import { pushClauses, type UpdateOperator } from '../supported';
import type { Field } from './field';
import { ArrayTree, opened, toVal } from './tree';

/** Changes one field of a document. */
export interface Operator {
  /** Whether missing documents on the path are created. */
  readonly creates: boolean;
  apply(field: Field): void;
}

type Compile = (value: BsonValue, path: string) => Operator;

const set: Compile = (value) => ({ creates: true, apply: (field) => field.set(value) });

export const operators: Readonly<Record<UpdateOperator, Compile>> = {
  $set: set,
  $setOnInsert: set,
  $unset: () => ({ creates: false, apply: (field) => field.remove() }),
  $inc: compileIncrement,
  $min: (value) => extreme(value, (order) => order < 0),
  $max: (value) => extreme(value, (order) => order > 0),
  $push: compilePush,
  $addToSet: compileAddToSet,
  $pull: compilePull,
};

function compileIncrement(value: BsonValue, path: string): Operator {
  if (!isNumber(value))
    throw typeMismatch(`Cannot increment with non-numeric argument: {${path}: ${print(value)}}`);
  return {
    creates: true,
    apply: (field) => {
      const current = field.get();
      if (current === undefined) return field.set(value);
      const v = toVal(current);
      if (!isNumber(v)) {
        const type = typeName(v.type);
        throw typeMismatch(`Cannot apply $inc to a value of non-numeric type: ${path} is of type ${type}`);
      }
      const sum = addNumbers(v, value);
      if (sum === undefined) throw badValue(`Failed to apply $inc to ${path}, whose value is ${print(v)}`);
      field.set(sum);
    },
  };
}

const extreme = (value: BsonValue, better: (order: number) => boolean): Operator => ({
  creates: true,
  apply: (field) => {
    const current = field.get();
    if (current === undefined || better(compare(value, toVal(current)))) field.set(value);
  },
});

/** The array at a position, in mutable form. Throws code 2 for other values; undefined if there is no value. */
function arrayAt(field: Field, name: string, path: string): ArrayTree | undefined {
  const current = field.get();
  if (current === undefined) return undefined;
  const array = opened(current);
  if (!(array instanceof ArrayTree)) {
    const type = typeName(toVal(array).type);
    throw badValue(`Cannot apply ${name} to a non-array value: the field '${path}' is of type ${type}`);
  }
  if (array !== current) field.set(array);
  return array;
}

/** An operator that changes the items of an array, and creates the array if it is missing. */
const growing = (name: string, path: string, change: (items: ArrayTree['items']) => void): Operator => ({
  creates: true,
  apply: (field) => {
    const array = arrayAt(field, name, path);
    const target = array ?? new ArrayTree();
    change(target.items);
    if (array === undefined) field.set(target);
  },
});

const isClauses = (value: BsonValue): boolean =>
  value.type === BsonType.object && firstFieldName(value)?.startsWith('$') === true;

function compilePush(value: BsonValue, path: string): Operator {
  if (!isClauses(value)) return growing('$push', path, (items) => items.push(value));
  const clauses = new Map(fieldsOf(value));
  for (const name of clauses.keys())
    if (!pushClauses.has(name)) throw badValue(`Unrecognized clause in $push: ${name}`);
  const each = clauses.get('$each');
  if (each?.type !== BsonType.array)
    throw badValue('The argument to $each in $push must be an array, and there must be one');
  const values = elementsOf(each);
  const slice = clauses.get('$slice');
  const keptMax = slice === undefined ? Infinity : isNumber(slice) ? -numberOf(slice) : NaN;
  if (slice !== undefined && !(Number.isInteger(keptMax) && keptMax > 0))
    throw badValue('this server supports only a negative integer as $slice, which keeps the last items');
  return growing('$push', path, (items) => {
    items.push(...values);
    items.splice(0, items.length - keptMax);
  });
}

function compileAddToSet(value: BsonValue, path: string): Operator {
  if (isClauses(value)) throw badValue(`Unrecognized clause in $addToSet: ${print(value)}`);
  return growing('$addToSet', path, (items) => {
    if (!items.some((item) => equal(toVal(item), value))) items.push(value);
  });
}

/** $pull accepts a value, or a filter on elements that are documents. */
function compilePull(value: BsonValue, path: string): Operator {
  if (isClauses(value))
    throw badValue(`this server does not support operators on elements in $pull: ${print(value)}`);
  const matches = value.type === BsonType.object ? compileFilter(parseFilter(value)) : undefined;
  const pulls = (v: BsonValue): boolean =>
    matches === undefined ? equal(v, value) : v.type === BsonType.object && matches(v);
  return {
    creates: false,
    apply: (field) => {
      const array = arrayAt(field, '$pull', path);
      if (array === undefined) return;
      const kept = array.items.filter((item) => !pulls(toVal(item)));
      array.items.splice(0, array.items.length, ...kept);
    },
  };
}
