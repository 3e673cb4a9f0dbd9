import { MongoError } from '../errors';
import { compare } from '../bson/compare';
import { nullValue, bool, string } from '../bson/make';
import { BsonType, typeName } from '../bson/types';
import { elementsOf, stringOf, type BsonValue } from '../bson/value';
import { isTruthy } from '../query/parse';
import { arithmetic } from './arithmetic';
import { arrayOperators } from './arrays';
import type { Expression } from './evaluate';
import { mergeObjects, toText } from './conversions';
import { argumentsOf, isNullish, namedArguments, type OperatorCompiler, type ParseContext } from './operator';

const truthy = (v: BsonValue | undefined): boolean => v !== undefined && isTruthy(v);

/** A missing value sorts below null. */
function compareMaybe(a: BsonValue | undefined, b: BsonValue | undefined): number {
  if (a === undefined || b === undefined) return (a === undefined ? 0 : 1) - (b === undefined ? 0 : 1);
  return compare(a, b);
}

const comparison =
  (test: (c: number) => boolean): OperatorCompiler =>
  (v, c) => {
    const [a, b] = argumentsOf(v, c, 2, 2) as [Expression, Expression];
    return (s) => bool(test(compareMaybe(a(s), b(s))));
  };

/** $max and $min over the arguments, or over the elements of a single array argument. */
const extreme =
  (better: (c: number) => boolean): OperatorCompiler =>
  (v, c) => {
    const parts = argumentsOf(v, c, 0, Infinity);
    return (s) => {
      let values = parts.map((p) => p(s));
      const only = values.length === 1 ? values[0] : undefined;
      if (only !== undefined && only.type === BsonType.array) values = elementsOf(only);
      let best: BsonValue | undefined;
      for (const x of values) {
        if (!isNullish(x) && (best === undefined || better(compare(x as BsonValue, best)))) best = x;
      }
      return best ?? nullValue;
    };
  };

function compileCond(v: BsonValue, c: ParseContext): Expression {
  let parts: BsonValue[];
  if (v.type === BsonType.array) {
    parts = elementsOf(v);
    if (parts.length !== 3) {
      throw new MongoError(
        16020,
        `Expression $cond takes exactly 3 arguments. ${parts.length} were passed in.`,
      );
    }
  } else {
    const named = namedArguments(v, '$cond', ['if', 'then', 'else'], ['if', 'then', 'else']);
    parts = [named.get('if')!, named.get('then')!, named.get('else')!];
  }
  const [test, yes, no] = parts.map((p) => c.parse(p)) as [Expression, Expression, Expression];
  return (s) => (truthy(test(s)) ? yes(s) : no(s));
}

function compileSwitch(v: BsonValue, c: ParseContext): Expression {
  const named = namedArguments(v, '$switch', ['branches', 'default'], ['branches']);
  const list = named.get('branches')!;
  if (list.type !== BsonType.array) throw new MongoError(40061, "$switch expected an array for 'branches'");
  const branches = elementsOf(list).map((b) => {
    const parts = namedArguments(b, '$switch', ['case', 'then'], ['case', 'then']);
    return { test: c.parse(parts.get('case')!), then: c.parse(parts.get('then')!) };
  });
  if (branches.length === 0) throw new MongoError(40068, '$switch requires at least one branch.');
  const otherwise = named.has('default') ? c.parse(named.get('default')!) : undefined;
  return (s) => {
    for (const b of branches) if (truthy(b.test(s))) return b.then(s);
    if (otherwise === undefined) {
      throw new MongoError(
        40066,
        '$switch could not find a matching branch for an input, and no default was specified.',
      );
    }
    return otherwise(s);
  };
}

function compileConcat(v: BsonValue, c: ParseContext): Expression {
  const parts = argumentsOf(v, c, 0, Infinity);
  return (s) => {
    let text = '';
    let missing = false;
    for (const p of parts) {
      const x = p(s);
      if (isNullish(x)) missing = true;
      else if ((x as BsonValue).type !== BsonType.string) {
        throw new MongoError(16702, `$concat only supports strings, not ${typeName((x as BsonValue).type)}`);
      } else text += stringOf(x as BsonValue);
    }
    return missing ? nullValue : string(text);
  };
}

function compileIfNull(v: BsonValue, c: ParseContext): Expression {
  const parts = v.type === BsonType.array ? elementsOf(v).map((x) => c.parse(x)) : [];
  if (parts.length < 2) {
    throw new MongoError(1257300, `$ifNull needs at least two arguments, had: ${parts.length || 1}`);
  }
  return (s) => {
    let last: BsonValue | undefined;
    for (const p of parts) {
      last = p(s);
      if (!isNullish(last)) return last;
    }
    return last;
  };
}

/** The expression operators by name. */
export const operators: Readonly<Record<string, OperatorCompiler>> = {
  ...arithmetic,
  ...arrayOperators,
  $literal: (v) => () => v,
  $eq: comparison((c) => c === 0),
  $ne: comparison((c) => c !== 0),
  $gt: comparison((c) => c > 0),
  $gte: comparison((c) => c >= 0),
  $lt: comparison((c) => c < 0),
  $lte: comparison((c) => c <= 0),
  $and: (v, c) => {
    const parts = argumentsOf(v, c, 0, Infinity);
    return (s) => bool(parts.every((p) => truthy(p(s))));
  },
  $or: (v, c) => {
    const parts = argumentsOf(v, c, 0, Infinity);
    return (s) => bool(parts.some((p) => truthy(p(s))));
  },
  $not: (v, c) => {
    const [a] = argumentsOf(v, c, 1, 1) as [Expression];
    return (s) => bool(!truthy(a(s)));
  },
  $max: extreme((c) => c > 0),
  $min: extreme((c) => c < 0),
  $cond: compileCond,
  $switch: compileSwitch,
  $ifNull: compileIfNull,
  $concat: compileConcat,
  $mergeObjects: (v, c) => {
    const parts = argumentsOf(v, c, 0, Infinity);
    return (s) => mergeObjects(parts.map((p) => p(s)));
  },
  $toString: (v, c) => {
    const [a] = argumentsOf(v, c, 1, 1) as [Expression];
    return (s) => toText(a(s));
  },
  $type: (v, c) => {
    const [a] = argumentsOf(v, c, 1, 1) as [Expression];
    return (s) => {
      const x = a(s);
      return string(x === undefined ? 'missing' : typeName(x.type));
    };
  },
};
