import { MongoError } from '../errors';
import { compare } from '../bson/compare';
import { decimalFromText, decimalOf, divideDecimal } from '../bson/decimal';
import { NULL, double, int } from '../bson/make';
import { addNumbers, isNumber, multiplyNumbers, numberOf } from '../bson/number';
import { T } from '../bson/types';
import { objectOf } from '../bson/write';
import { fieldsOf, type Val } from '../bson/value';
import type { Expression, Scope } from '../expressions/evaluate';
import { parseExpression } from '../expressions/parse';
import { encodeValue } from '../keys/key-writer';

/** Accumulates the values of one group. */
interface Accumulator {
  add(v: Val | undefined): void;
  result(): Val;
}

const isNullish = (v: Val | undefined): boolean =>
  v === undefined || v.type === T.NULL || v.type === T.UNDEFINED;

class Sum implements Accumulator {
  private total: Val = int(0);
  add(v: Val | undefined): void {
    if (v !== undefined && isNumber(v))
      this.total = addNumbers(this.total, v) ?? double(numberOf(this.total) + numberOf(v));
  }
  result(): Val {
    return this.total;
  }
}

class Average implements Accumulator {
  private readonly sum = new Sum();
  private total = 0;
  private n = 0;
  private hasDecimal = false;
  add(v: Val | undefined): void {
    if (v === undefined || !isNumber(v)) return;
    this.sum.add(v);
    this.total += numberOf(v);
    this.hasDecimal ||= v.type === T.DECIMAL;
    this.n++;
  }
  result(): Val {
    if (this.n === 0) return NULL;
    if (!this.hasDecimal) return double(this.total / this.n);
    const sum = decimalOf(this.sum.result());
    return typeof sum === 'number' ? decimalFromText(String(sum / this.n)) : divideDecimal(sum, this.n);
  }
}

class Extreme implements Accumulator {
  private best: Val | undefined;
  constructor(private readonly sign: number) {}
  add(v: Val | undefined): void {
    if (isNullish(v)) return;
    if (this.best === undefined || this.sign * compare(v!, this.best) > 0) this.best = v;
  }
  result(): Val {
    return this.best ?? NULL;
  }
}

class First implements Accumulator {
  private value: Val | undefined;
  private any = false;
  add(v: Val | undefined): void {
    if (!this.any) this.value = v;
    this.any = true;
  }
  result(): Val {
    return this.value ?? NULL;
  }
}

class Last implements Accumulator {
  private value: Val | undefined;
  add(v: Val | undefined): void {
    this.value = v;
  }
  result(): Val {
    return this.value ?? NULL;
  }
}

const ACCUMULATORS: Readonly<Record<string, () => Accumulator>> = {
  $sum: () => new Sum(),
  $avg: () => new Average(),
  $min: () => new Extreme(-1),
  $max: () => new Extreme(1),
  $first: () => new First(),
  $last: () => new Last(),
};

interface GroupField {
  readonly name: string;
  readonly operator: string;
  readonly make: () => Accumulator;
  readonly argument: Expression;
  /** The argument, if it does not depend on the document. */
  readonly constant: Val | undefined;
}

export interface GroupSpec {
  readonly id: Expression;
  /** The _id, if it is the same for all documents. */
  readonly constantId: Val | undefined;
  readonly fields: readonly GroupField[];
}

export function parseGroup(spec: Val): GroupSpec {
  if (spec.type !== T.OBJECT) throw new MongoError(15947, "a group's fields must be specified in an object");
  let id: Val | undefined;
  const fields: GroupField[] = [];
  for (const [name, v] of fieldsOf(spec)) {
    if (name === '_id') id = v;
    else fields.push(parseField(name, v));
  }
  if (id === undefined) throw new MongoError(15955, 'a group specification must include an _id');
  return { id: parseExpression(id), constantId: constantOf(id), fields };
}

const constantOf = (v: Val): Val | undefined =>
  v.type === T.OBJECT || v.type === T.ARRAY || (v.type === T.STRING && v.bytes[v.start + 4] === 0x24)
    ? undefined
    : v;

function parseField(name: string, v: Val): GroupField {
  if (name.includes('.')) throw new MongoError(40235, `The field name '${name}' cannot contain '.'`);
  if (name.startsWith('$'))
    throw new MongoError(40236, `The field name '${name}' cannot be an operator name`);
  const parts = v.type === T.OBJECT ? fieldsOf(v) : [];
  if (parts.length === 0) throw new MongoError(40234, `The field '${name}' must be an accumulator object`);
  if (parts.length > 1) throw new MongoError(40238, `The field '${name}' must specify one accumulator`);
  const [operator, argument] = parts[0]!;
  const make = Object.hasOwn(ACCUMULATORS, operator) ? ACCUMULATORS[operator] : undefined;
  if (make === undefined) throw new MongoError(15952, `unknown group operator '${operator}'`);
  return { name, operator, make, argument: parseExpression(argument), constant: constantOf(argument) };
}

/** Groups documents. Groups are returned in the order of their first documents. */
export class Grouping {
  private readonly groups = new Map<string, { id: Val | undefined; accumulators: Accumulator[] }>();

  constructor(
    private readonly spec: GroupSpec,
    private readonly now: number,
  ) {}

  add(doc: Val): void {
    const scope: Scope = { root: doc, variables: new Map(), now: this.now };
    const id = this.spec.id(scope);
    // A missing _id is encoded as null, so it belongs to the same group as null.
    const key = encodeValue(id).toString('latin1');
    let group = this.groups.get(key);
    if (group === undefined) {
      group = { id, accumulators: this.spec.fields.map((f) => f.make()) };
      this.groups.set(key, group);
    }
    this.spec.fields.forEach((f, i) => group.accumulators[i]!.add(f.argument(scope)));
  }

  *results(): Generator<Val, void, void> {
    for (const { id, accumulators } of this.groups.values()) {
      yield objectOf([
        ['_id', id ?? NULL],
        ...this.spec.fields.map((f, i): [string, Val] => [f.name, accumulators[i]!.result()]),
      ]);
    }
  }
}

/**
 * The result for n documents if the group only counts them, that is, sums constants in a single group. Undefined
 * otherwise.
 */
export function countedGroup(spec: GroupSpec, n: number): Val | undefined {
  const { constantId } = spec;
  if (
    constantId === undefined ||
    !spec.fields.every((f) => f.operator === '$sum' && f.constant !== undefined)
  ) {
    return undefined;
  }
  const fields = spec.fields.map((f): [string, Val] => {
    const each = f.constant!;
    if (!isNumber(each)) return [f.name, int(0)];
    return [f.name, multiplyNumbers(each, int(n)) ?? double(numberOf(each) * n)];
  });
  return objectOf([['_id', constantId], ...fields]);
}
