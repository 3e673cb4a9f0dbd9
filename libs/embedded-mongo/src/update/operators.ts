import { type MongoError, badValue, failedToParse, typeMismatch } from '../errors';
import { compare, equal } from '../bson/compare';
import { date, double, int, long, timestamp } from '../bson/make';
import { addNumbers, isNumber, multiplyNumbers, numberOf } from '../bson/number';
import { print } from '../bson/print';
import { decimalFromText } from '../bson/decimal';
import { BsonType, typeName } from '../bson/types';
import { elementsOf, field, fieldsOf, firstFieldName, stringOf, type BsonValue } from '../bson/value';
import { compileTest } from '../query/match';
import { isOperators, parseEquality } from '../query/parse';
import { parseElementFilter } from './element-filter';
import { describeId } from './place';
import { arrayAt, type Operator } from './operator';
import { compilePush } from './push';
import { ArrayTree, toVal } from './tree';

type Compiler = (value: BsonValue, path: string) => Operator;

/** The update operators by name, except $rename, which affects two places. */
export const operators: Readonly<Record<string, Compiler>> = {
  $set: (value) => ({ creates: true, apply: (place) => place.set(value) }),
  $setOnInsert: (value) => ({
    creates: true,
    insertOnly: true,
    apply: (place, context) => {
      if (context.inserting) place.set(value);
    },
  }),
  $unset: () => ({ creates: false, apply: (place) => place.remove() }),
  $inc: (value, path) => arithmetic('$inc', 'increment', value, path),
  $mul: (value, path) => arithmetic('$mul', 'multiply', value, path),
  $min: (value) => extreme(value, (c) => c < 0),
  $max: (value) => extreme(value, (c) => c > 0),
  $currentDate: compileCurrentDate,
  $push: compilePush,
  $addToSet: compileAddToSet,
  $pull: compilePull,
  $pullAll: compilePullAll,
  $pop: compilePop,
};

function arithmetic(name: '$inc' | '$mul', verb: string, value: BsonValue, path: string): Operator {
  if (!isNumber(value)) {
    throw typeMismatch(`Cannot ${verb} with non-numeric argument: {${path}: ${print(value)}}`);
  }
  const combine = name === '$inc' ? addNumbers : multiplyNumbers;
  return {
    creates: true,
    apply: (place, context) => {
      const current = place.get();
      if (current === undefined) {
        place.set(name === '$inc' ? value : zeroLike(value));
        return;
      }
      const v = toVal(current);
      if (!isNumber(v)) {
        throw typeMismatch(
          `Cannot apply ${name} to a value of non-numeric type. ${describeId(context.root)} has the field '${path.split('.').at(-1)!}' of non-numeric type ${typeName(v.type)}`,
        );
      }
      const result = combine(v, value);
      if (result === undefined) {
        throw badValue(
          `Failed to apply ${name} operations to current value ((NumberLong)${print(v)}) for document ${describeId(context.root)}`,
        );
      }
      place.set(result);
    },
  };
}

function zeroLike(v: BsonValue): BsonValue {
  if (v.type === BsonType.double) return double(0);
  if (v.type === BsonType.long) return long(0n);
  return v.type === BsonType.decimal ? decimalFromText('0') : int(0);
}

const extreme = (value: BsonValue, better: (c: number) => boolean): Operator => ({
  creates: true,
  apply: (place) => {
    const current = place.get();
    if (current === undefined || better(compare(value, toVal(current)))) place.set(value);
  },
});

function compileCurrentDate(value: BsonValue, path: string): Operator {
  let kind = 'date';
  if (value.type === BsonType.object) {
    const type = field(value, '$type');
    kind = type?.type === BsonType.string && fieldsOf(value).length === 1 ? stringOf(type) : '';
    if (kind !== 'date' && kind !== 'timestamp') {
      throw badValue(
        "The '$type' string field is required to be 'date' or 'timestamp': {$currentDate: {field : {$type: 'date'}}}",
      );
    }
  } else if (value.type !== BsonType.bool) {
    throw badValue(
      `${typeName(value.type)} is not valid type for $currentDate. Please use a boolean ('true') or a $type expression ({$type: 'timestamp/date'}) (${path})`,
    );
  }
  return {
    creates: true,
    apply: (place, context) =>
      place.set(kind === 'date' ? date(context.now) : timestamp(Math.floor(context.now / 1000), 1)),
  };
}

function compileAddToSet(value: BsonValue, path: string): Operator {
  let values = [value];
  if (value.type === BsonType.object) {
    const fields = fieldsOf(value);
    if (fields[0]?.[0] === '$each') {
      if (fields.length > 1) {
        throw badValue(`Found unexpected fields after $each in $addToSet: ${print(value)}`);
      }
      const each = fields[0][1];
      if (each.type !== BsonType.array) {
        throw typeMismatch(
          `The argument to $each in $addToSet must be an array but it was of type ${typeName(each.type)}`,
        );
      }
      values = elementsOf(each);
    }
  }
  return {
    creates: true,
    apply: (place, context) => {
      const array = arrayAt(place, (v) =>
        badValue(
          `Cannot apply $addToSet to non-array field. Field named '${path.split('.').at(-1)!}' has non-array type ${typeName(v.type)} (${describeId(context.root)})`,
        ),
      );
      const target = array ?? new ArrayTree();
      for (const v of values) if (!target.items.some((t) => equal(toVal(t), v))) target.items.push(v);
      if (array === undefined) place.set(target);
    },
  };
}

const notAnArray = (name: string) => (): MongoError => badValue(`Cannot apply ${name} to a non-array value`);

function compilePull(value: BsonValue): Operator {
  const pulls = pullTest(value);
  return {
    creates: false,
    apply: (place) => {
      const array = arrayAt(place, notAnArray('$pull'));
      if (array === undefined) return;
      const kept = array.items.filter((t) => !pulls(toVal(t)));
      array.items.splice(0, array.items.length, ...kept);
    },
  };
}

/** Unlike other operators, these combine filters of documents. */
const logical = new Set(['$and', '$or', '$nor']);

/** $pull takes a value, operators on each element, or a filter on each element that is a document. */
function pullTest(value: BsonValue): (v: BsonValue) => boolean {
  if (value.type === BsonType.object)
    return parseElementFilter(value, isOperators(value) && !logical.has(firstFieldName(value) ?? ''));
  const test = compileTest(parseEquality(value));
  return (v) => test(v);
}

function compilePullAll(value: BsonValue): Operator {
  if (value.type !== BsonType.array) {
    throw badValue(`$pullAll requires an array argument but was given a ${typeName(value.type)}`);
  }
  const values = elementsOf(value);
  return {
    creates: false,
    apply: (place) => {
      const array = arrayAt(place, notAnArray('$pullAll'));
      if (array === undefined) return;
      const kept = array.items.filter((t) => !values.some((v) => equal(toVal(t), v)));
      array.items.splice(0, array.items.length, ...kept);
    },
  };
}

function compilePop(value: BsonValue, path: string): Operator {
  const end = isNumber(value) ? numberOf(value) : NaN;
  if (end !== 1 && end !== -1) throw failedToParse(`$pop expects 1 or -1, found: ${print(value)}`);
  return {
    creates: false,
    apply: (place) => {
      const array = arrayAt(place, (v) =>
        typeMismatch(`Path '${path}' contains an element of non-array type '${typeName(v.type)}'`),
      );
      if (end === 1) array?.items.pop();
      else array?.items.shift();
    },
  };
}
