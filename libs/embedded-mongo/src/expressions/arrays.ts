import { MongoError, failedToParse } from '../errors';
import { equal } from '../bson/compare';
import { nullValue, bool, int } from '../bson/make';
import { print } from '../bson/print';
import { BsonType, typeName } from '../bson/types';
import { arrayOf } from '../bson/write';
import { elementsOf, stringOf, type BsonValue } from '../bson/value';
import { isTruthy } from '../query/parse';
import { withVariable, type Expression } from './evaluate';
import {
  argumentsOf,
  intOf,
  isNullish,
  namedArguments,
  type OperatorCompiler,
  type ParseContext,
} from './operator';

/** The elements of an input that must be an array. Undefined if it is null or missing. */
function inputArray(v: BsonValue | undefined, code: number, what: string): BsonValue[] | undefined {
  if (isNullish(v)) return undefined;
  if ((v as BsonValue).type !== BsonType.array)
    throw new MongoError(code, `${what}, not ${typeName((v as BsonValue).type)}`);
  return elementsOf(v as BsonValue);
}

/** The variable name of the current element in $filter and $map. */
function variableName(v: BsonValue | undefined): string {
  if (v === undefined) return 'this';
  const name = v.type === BsonType.string ? stringOf(v) : '';
  if (!/^[a-z][A-Za-z0-9_]*$/.test(name)) throw failedToParse(`'${print(v)}' is not a valid variable name`);
  return name;
}

function compileFilter(v: BsonValue, c: ParseContext): Expression {
  const named = namedArguments(v, '$filter', ['input', 'as', 'cond', 'limit'], ['input', 'cond']);
  const name = variableName(named.get('as'));
  const input = c.parse(named.get('input')!);
  const test = c.parse(named.get('cond')!, [name]);
  const limit = named.has('limit') ? c.parse(named.get('limit')!) : undefined;
  return (s) => {
    const items = inputArray(input(s), 28651, 'input to $filter must be an array');
    if (items === undefined) return nullValue;
    const most = limit === undefined ? Infinity : limitOf(limit(s));
    const out: BsonValue[] = [];
    for (const e of items) {
      if (out.length >= most) break;
      const passed = test(withVariable(s, name, e));
      if (passed !== undefined && isTruthy(passed)) out.push(e);
    }
    return arrayOf(out);
  };
}

function limitOf(v: BsonValue | undefined): number {
  if (isNullish(v)) return Infinity;
  const n = intOf(v);
  if (n === undefined)
    throw new MongoError(327391, '$filter: limit must be represented as a 32-bit integral value');
  if (n < 1) throw new MongoError(327392, `$filter: limit must be greater than 0, found: ${n}`);
  return n;
}

function compileMap(v: BsonValue, c: ParseContext): Expression {
  const named = namedArguments(v, '$map', ['input', 'as', 'in'], ['input', 'in']);
  const name = variableName(named.get('as'));
  const input = c.parse(named.get('input')!);
  const each = c.parse(named.get('in')!, [name]);
  return (s) => {
    const items = inputArray(input(s), 16883, 'input to $map must be an array');
    return items === undefined
      ? nullValue
      : arrayOf(items.map((e) => each(withVariable(s, name, e)) ?? nullValue));
  };
}

function compileReduce(v: BsonValue, c: ParseContext): Expression {
  const named = namedArguments(
    v,
    '$reduce',
    ['input', 'initialValue', 'in'],
    ['input', 'initialValue', 'in'],
  );
  const input = c.parse(named.get('input')!);
  const initial = c.parse(named.get('initialValue')!);
  const each = c.parse(named.get('in')!, ['this', 'value']);
  return (s) => {
    const items = inputArray(input(s), 40080, "$reduce requires that 'input' be an array");
    if (items === undefined) return nullValue;
    let value = initial(s);
    for (const e of items) value = each(withVariable(withVariable(s, 'value', value), 'this', e));
    return value;
  };
}

export const arrayOperators: Readonly<Record<string, OperatorCompiler>> = {
  $filter: compileFilter,
  $map: compileMap,
  $reduce: compileReduce,
  $concatArrays: (v, c) => {
    const parts = argumentsOf(v, c, 0, Infinity);
    return (s) => {
      const out: BsonValue[] = [];
      let missing = false;
      for (const p of parts) {
        const items = inputArray(p(s), 28664, '$concatArrays only supports arrays');
        if (items === undefined) missing = true;
        else out.push(...items);
      }
      return missing ? nullValue : arrayOf(out);
    };
  },
  $size: (v, c) => {
    const [a] = argumentsOf(v, c, 1, 1) as [Expression];
    return (s) => {
      const x = a(s);
      if (x === undefined || x.type !== BsonType.array) {
        throw new MongoError(
          17124,
          `The argument to $size must be an array, but was of type: ${x === undefined ? 'missing' : typeName(x.type)}`,
        );
      }
      return int(elementsOf(x).length);
    };
  },
  $arrayElemAt: (v, c) => {
    const [a, i] = argumentsOf(v, c, 2, 2) as [Expression, Expression];
    return (s) => {
      const at = i(s);
      const items = inputArray(a(s), 28689, "$arrayElemAt's first argument must be an array");
      if (items === undefined || isNullish(at)) return nullValue;
      const n = intOf(at);
      if (n === undefined) {
        throw new MongoError(
          28690,
          `$arrayElemAt's second argument must be a numeric value, but is ${print(at)}`,
        );
      }
      return items.at(n);
    };
  },
  $in: (v, c) => {
    const [needle, a] = argumentsOf(v, c, 2, 2) as [Expression, Expression];
    return (s) => {
      const x = needle(s);
      const list = a(s);
      if (list === undefined || list.type !== BsonType.array) {
        throw new MongoError(
          40081,
          `$in requires an array as a second argument, found: ${list === undefined ? 'missing' : typeName(list.type)}`,
        );
      }
      return bool(x !== undefined && elementsOf(list).some((e) => equal(e, x)));
    };
  },
};
