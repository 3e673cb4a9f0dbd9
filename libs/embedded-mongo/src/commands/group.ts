import { MongoError } from '../errors';
import { compare } from '../bson/compare';
import { double, int, nullValue } from '../bson/make';
import { addNumbers, isNumber, numberOf } from '../bson/number';
import { BsonType } from '../bson/types';
import { objectOf } from '../bson/write';
import { fieldsOf, getField, stringOf, type BsonValue } from '../bson/value';
import { encodeValue } from '../keys/key-writer';
import { accumulators, includes, type Accumulator } from '../supported';

/** A constant, the value of a top-level field, or an object of these. */
interface Expression {
  readonly constant: BsonValue | undefined;
  valueIn(document: BsonValue): BsonValue | undefined;
}

interface GroupField {
  readonly name: string;
  readonly accumulator: Accumulator;
  readonly argument: Expression;
}

export interface GroupSpec {
  readonly id: Expression;
  readonly fields: readonly GroupField[];
}

export function parseGroup(spec: BsonValue): GroupSpec {
  if (spec.type !== BsonType.object)
    throw new MongoError(15947, "a group's fields must be specified in an object");
  let id: Expression | undefined;
  const fields: GroupField[] = [];
  for (const [name, v] of fieldsOf(spec)) {
    if (name === '_id') id = parseExpression(v);
    else fields.push(parseField(name, v));
  }
  if (id === undefined) throw new MongoError(15955, 'a group specification must include an _id');
  return { id, fields };
}

/** Throws code 168 for expressions other than constants, top-level fields and objects of them. */
function parseExpression(v: BsonValue): Expression {
  if (v.type === BsonType.object) return parseObject(v);
  if (v.type === BsonType.array)
    throw new MongoError(168, 'this server does not support arrays as expressions');
  const text = v.type === BsonType.string ? stringOf(v) : '';
  if (!text.startsWith('$')) return { constant: v, valueIn: () => v };
  if (!/^\$[^$.]+$/.test(text))
    throw new MongoError(168, `this server supports only top-level fields, not '${text}'`);
  const name = Buffer.from(text.slice(1));
  return { constant: undefined, valueIn: (document) => getField(document, name) };
}

function parseObject(v: BsonValue): Expression {
  const parts = fieldsOf(v).map(([name, part]) => {
    if (name.startsWith('$')) throw new MongoError(168, `Unrecognized expression '${name}'`);
    return { name, expression: parseExpression(part) };
  });
  const valueIn = (document: BsonValue): BsonValue => {
    const fields = parts.map(({ name, expression }) => [name, expression.valueIn(document)] as const);
    return objectOf(fields.filter((field): field is [string, BsonValue] => field[1] !== undefined));
  };
  return { constant: undefined, valueIn };
}

function parseField(name: string, v: BsonValue): GroupField {
  if (name.includes('.')) throw new MongoError(40235, `The field name '${name}' cannot contain '.'`);
  if (name.startsWith('$'))
    throw new MongoError(40236, `The field name '${name}' cannot be an operator name`);
  const parts = v.type === BsonType.object ? fieldsOf(v) : [];
  if (parts.length === 0) throw new MongoError(40234, `The field '${name}' must be an accumulator object`);
  if (parts.length > 1) throw new MongoError(40238, `The field '${name}' must specify one accumulator`);
  const [accumulator, argument] = parts[0]!;
  if (!includes(accumulators, accumulator))
    throw new MongoError(15952, `unknown group operator '${accumulator}'`);
  return { name, accumulator, argument: parseExpression(argument) };
}

const isNullish = (v: BsonValue | undefined): boolean => v === undefined || v.type === BsonType.null;

/** The value of an accumulator after adding a value. */
function accumulate(accumulator: Accumulator, total: BsonValue, v: BsonValue | undefined): BsonValue {
  if (accumulator === '$sum') {
    if (v === undefined || !isNumber(v)) return total;
    return addNumbers(total, v) ?? double(numberOf(total) + numberOf(v));
  }
  if (v === undefined || isNullish(v)) return total;
  if (isNullish(total)) return v;
  return compare(v, total) < 0 === (accumulator === '$min') ? v : total;
}

/** Groups documents. Groups are returned in the order in which their first documents appear. */
export class Grouping {
  private readonly groups = new Map<string, { id: BsonValue | undefined; totals: BsonValue[] }>();

  constructor(private readonly spec: GroupSpec) {}

  add(document: BsonValue): void {
    const { fields } = this.spec;
    const id = this.spec.id.valueIn(document);
    // A missing _id is encoded as null, so it belongs to the same group as null.
    const key = encodeValue(id).toString('latin1');
    let group = this.groups.get(key);
    if (group === undefined) {
      group = { id, totals: fields.map((f) => (f.accumulator === '$sum' ? int(0) : nullValue)) };
      this.groups.set(key, group);
    }
    const { totals } = group;
    fields.forEach(({ accumulator, argument }, i) => {
      totals[i] = accumulate(accumulator, totals[i]!, argument.valueIn(document));
    });
  }

  *results(): Generator<BsonValue, void, void> {
    for (const { id, totals } of this.groups.values()) {
      yield objectOf([
        ['_id', id ?? nullValue],
        ...this.spec.fields.map(({ name }, i): [string, BsonValue] => [name, totals[i]!]),
      ]);
    }
  }
}

/** The result for n documents if the group only counts them: each field is `{$sum: 1}`. Undefined otherwise. */
export function countedGroup({ id, fields }: GroupSpec, n: number): BsonValue | undefined {
  const isCount = ({ accumulator, argument: { constant } }: GroupField): boolean =>
    accumulator === '$sum' && constant?.type === BsonType.int && numberOf(constant) === 1;
  if (id.constant === undefined || !fields.every(isCount)) return undefined;
  return objectOf([['_id', id.constant], ...fields.map(({ name }) => [name, int(n)] as const)]);
}
