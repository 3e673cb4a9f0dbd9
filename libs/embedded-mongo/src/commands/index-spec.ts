import { MongoError, failedToParse } from '../errors';
import { isNumber, numberOf } from '../bson/number';
import { print } from '../bson/print';
import { BsonType } from '../bson/types';
import { fieldsOf, type BsonValue } from '../bson/value';
import type { Node } from '../query/node';
import { parseFilter } from '../query/parse';
import type { IndexSpec } from '../store/collection';
import { indexFields, partialIndexTests } from '../supported';
import { Options } from './command';

const indexFieldsMax = 32;
const expireSecondsMax = 2 ** 31 - 1;

const cannot = (message: string): MongoError => new MongoError(67, message);

/** Parses an index of createIndexes. Throws MongoDB's error for index types and options that this server lacks. */
export function parseIndexSpec(v: BsonValue): IndexSpec {
  if (v.type !== BsonType.object) throw failedToParse('each index must be an object');
  for (const [name] of fieldsOf(v)) {
    if (!indexFields.has(name)) {
      throw new MongoError(
        197,
        `The field '${name}' is not valid for an index specification. Specification: ${print(v)}`,
      );
    }
  }
  const o = new Options('createIndexes.indexes', v);
  const key = parseKey(o.document('key'));
  const name = o.string('name');
  if (name === undefined || name === '') {
    throw failedToParse(`The 'name' field is a required property of an index specification. Got ${print(v)}`);
  }
  const partial = o.document('partialFilterExpression');
  const sparse = o.boolean('sparse', false);
  if (partial !== undefined) {
    checkPartial(parseFilter(partial));
    if (sparse) throw cannot('cannot mix "partialFilterExpression" and "sparse" options');
  }
  if (sparse && key.length > 1) throw cannot('this server supports only sparse indexes on one field');
  const expireAfterSeconds = o.number('expireAfterSeconds');
  if (expireAfterSeconds !== undefined) checkExpiry(expireAfterSeconds, key);
  return { name, key, unique: o.boolean('unique', false), sparse, partial, expireAfterSeconds };
}

function parseKey(v: BsonValue | undefined): [string, number][] {
  const fields = v === undefined ? [] : fieldsOf(v);
  if (fields.length === 0) throw cannot('Index keys cannot be an empty object');
  if (fields.length > indexFieldsMax) throw cannot(`Index has too many fields, at most ${indexFieldsMax}`);
  const seen = new Set<string>();
  return fields.map(([name, direction]) => {
    if (name === '' || name.split('.').includes(''))
      throw cannot('Index keys cannot contain an empty field.');
    if (name.split('.').some((n) => n.startsWith('$'))) {
      throw cannot(`Index key contains an illegal field name: field name starts with '$': ${name}`);
    }
    if (seen.has(name)) throw cannot(`Index key names a field twice: ${name}`);
    seen.add(name);
    if (!isNumber(direction)) throw cannot(`Unknown index plugin ${print(direction)}`);
    const n = numberOf(direction);
    if (n === 0 || Number.isNaN(n)) throw cannot('Values in the index key pattern cannot be 0.');
    return [name, n < 0 ? -1 : 1];
  });
}

function checkExpiry(seconds: number, key: readonly (readonly [string, number])[]): void {
  if (!(seconds >= 0 && seconds <= expireSecondsMax)) {
    throw cannot(`TTL index 'expireAfterSeconds' option must be within an acceptable range, got ${seconds}`);
  }
  if (key.length > 1)
    throw cannot('TTL indexes are single-field indexes, compound indexes do not support TTL');
  if (key[0]![0] === '_id')
    throw cannot("The field 'expireAfterSeconds' is not valid for an _id index specification");
}

function checkPartial(node: Node): void {
  if (node.kind === 'and') node.nodes.forEach(checkPartial);
  else if (node.kind !== 'field' || !partialIndexTests.has(node.test.op))
    throw cannot(
      `Expression not supported in partial index: $${node.kind === 'field' ? node.test.op : node.kind}`,
    );
}
