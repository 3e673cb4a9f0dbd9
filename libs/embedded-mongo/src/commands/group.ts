import { MongoError } from '../errors';
import { compare } from '../bson/compare';
import { decimalFromText, decimalOf, divideDecimal } from '../bson/decimal';
import { nullValue, double, int } from '../bson/make';
import { addNumbers, isNumber, multiplyNumbers, numberOf } from '../bson/number';
import { BsonType } from '../bson/types';
import { objectOf } from '../bson/write';
import { fieldsOf, type BsonValue } from '../bson/value';
import type { Expression, Scope } from '../expressions/evaluate';
import { parseExpression } from '../expressions/parse';
import { encodeValue } from '../keys/key-writer';

/** Accumulates the values of one group. */
interface Accumulator {
  add(v: BsonValue | undefined): void;
  result(): BsonValue;
}

const isNullish = (v: BsonValue | undefined): boolean =>
  v === undefined || v.type === BsonType.null || v.type === BsonType.undefined;

class Sum implements Accumulator {
  #total: BsonValue = int(0);
  add(v: BsonValue | undefined): void {
    if (v !== undefined && isNumber(v))
      this.#total = addNumbers(this.#total, v) ?? double(numberOf(this.#total) + numberOf(v));
  }
  result(): BsonValue {
    return this.#total;
  }
}

class Average implements Accumulator {
  readonly #sum = new Sum();
  #total = 0;
  #n = 0;
  #hasDecimal = false;
  add(v: BsonValue | undefined): void {
    if (v === undefined || !isNumber(v)) return;
    this.#sum.add(v);
    this.#total += numberOf(v);
    this.#hasDecimal ||= v.type === BsonType.decimal;
    this.#n++;
  }
  result(): BsonValue {
    if (this.#n === 0) return nullValue;
    if (!this.#hasDecimal) return double(this.#total / this.#n);
    const sum = decimalOf(this.#sum.result());
    return typeof sum === 'number' ? decimalFromText(String(sum / this.#n)) : divideDecimal(sum, this.#n);
  }
}

class Extreme implements Accumulator {
  #best: BsonValue | undefined;
  constructor(private readonly sign: number) {}
  add(v: BsonValue | undefined): void {
    if (isNullish(v)) return;
    if (this.#best === undefined || this.sign * compare(v!, this.#best) > 0) this.#best = v;
  }
  result(): BsonValue {
    return this.#best ?? nullValue;
  }
}

class First implements Accumulator {
  #value: BsonValue | undefined;
  #any = false;
  add(v: BsonValue | undefined): void {
    if (!this.#any) this.#value = v;
    this.#any = true;
  }
  result(): BsonValue {
    return this.#value ?? nullValue;
  }
}

class Last implements Accumulator {
  #value: BsonValue | undefined;
  add(v: BsonValue | undefined): void {
    this.#value = v;
  }
  result(): BsonValue {
    return this.#value ?? nullValue;
  }
}

const accumulators: Readonly<Record<string, () => Accumulator>> = {
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
  readonly constant: BsonValue | undefined;
}

export interface GroupSpec {
  readonly id: Expression;
  /** The _id, if it is the same for all documents. */
  readonly constantId: BsonValue | undefined;
  readonly fields: readonly GroupField[];
}

export function parseGroup(spec: BsonValue): GroupSpec {
  if (spec.type !== BsonType.object)
    throw new MongoError(15947, "a group's fields must be specified in an object");
  let id: BsonValue | undefined;
  const fields: GroupField[] = [];
  for (const [name, v] of fieldsOf(spec)) {
    if (name === '_id') id = v;
    else fields.push(parseField(name, v));
  }
  if (id === undefined) throw new MongoError(15955, 'a group specification must include an _id');
  return { id: parseExpression(id), constantId: constantOf(id), fields };
}

const constantOf = (v: BsonValue): BsonValue | undefined =>
  v.type === BsonType.object ||
  v.type === BsonType.array ||
  (v.type === BsonType.string && v.bytes[v.start + 4] === 0x24)
    ? undefined
    : v;

function parseField(name: string, v: BsonValue): GroupField {
  if (name.includes('.')) throw new MongoError(40235, `The field name '${name}' cannot contain '.'`);
  if (name.startsWith('$'))
    throw new MongoError(40236, `The field name '${name}' cannot be an operator name`);
  const parts = v.type === BsonType.object ? fieldsOf(v) : [];
  if (parts.length === 0) throw new MongoError(40234, `The field '${name}' must be an accumulator object`);
  if (parts.length > 1) throw new MongoError(40238, `The field '${name}' must specify one accumulator`);
  const [operator, argument] = parts[0]!;
  const make = Object.hasOwn(accumulators, operator) ? accumulators[operator] : undefined;
  if (make === undefined) throw new MongoError(15952, `unknown group operator '${operator}'`);
  return { name, operator, make, argument: parseExpression(argument), constant: constantOf(argument) };
}

/** Groups documents. Groups are returned in the order of their first documents. */
export class Grouping {
  readonly #groups = new Map<string, { id: BsonValue | undefined; accumulators: Accumulator[] }>();

  constructor(
    private readonly spec: GroupSpec,
    private readonly now: number,
  ) {}

  add(doc: BsonValue): void {
    const scope: Scope = { root: doc, variables: new Map(), now: this.now };
    const id = this.spec.id(scope);
    // A missing _id is encoded as null, so it belongs to the same group as null.
    const key = encodeValue(id).toString('latin1');
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = { id, accumulators: this.spec.fields.map((f) => f.make()) };
      this.#groups.set(key, group);
    }
    this.spec.fields.forEach((f, i) => group.accumulators[i]!.add(f.argument(scope)));
  }

  *results(): Generator<BsonValue, void, void> {
    for (const { id, accumulators } of this.#groups.values()) {
      yield objectOf([
        ['_id', id ?? nullValue],
        ...this.spec.fields.map((f, i): [string, BsonValue] => [f.name, accumulators[i]!.result()]),
      ]);
    }
  }
}

/**
 * The result for n documents if the group only counts them, that is, sums constants in a single group. Undefined
 * otherwise.
 */
export function countedGroup(spec: GroupSpec, n: number): BsonValue | undefined {
  const { constantId } = spec;
  if (
    constantId === undefined ||
    !spec.fields.every((f) => f.operator === '$sum' && f.constant !== undefined)
  ) {
    return undefined;
  }
  const fields = spec.fields.map((f): [string, BsonValue] => {
    const each = f.constant!;
    if (!isNumber(each)) return [f.name, int(0)];
    return [f.name, multiplyNumbers(each, int(n)) ?? double(numberOf(each) * n)];
  });
  return objectOf([['_id', constantId], ...fields]);
}
