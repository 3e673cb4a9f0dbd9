import { MongoError } from '../errors';
import { nullValue, string } from '../bson/make';
import { numberOf } from '../bson/number';
import { decimalText } from '../bson/decimal';
import { BsonType, typeName } from '../bson/types';
import { objectOf } from '../bson/write';
import { boolOf, dateOf, elementsOf, fieldsOf, type BsonValue } from '../bson/value';

export function toText(v: BsonValue | undefined): BsonValue {
  if (v === undefined || v.type === BsonType.null || v.type === BsonType.undefined) return nullValue;
  switch (v.type) {
    case BsonType.string:
      return v;
    case BsonType.bool:
      return string(String(boolOf(v)));
    case BsonType.int:
      return string(String(numberOf(v)));
    case BsonType.double:
      return string(doubleText(numberOf(v)));
    case BsonType.long:
      return string(String(v.bytes.readBigInt64LE(v.start)));
    case BsonType.decimal:
      return string(decimalText(v));
    case BsonType.objectId:
      return string(v.bytes.toString('hex', v.start, v.end));
    case BsonType.date:
      return string(new Date(dateOf(v)).toISOString());
    default:
      throw new MongoError(
        241,
        `Failed to optimize pipeline :: caused by :: Unsupported conversion from ${typeName(v.type)} to string in $convert with no onError value`,
      );
  }
}

const doubleText = (x: number): string =>
  Number.isNaN(x) ? 'NaN' : Number.isFinite(x) ? String(x) : x > 0 ? 'Infinity' : '-Infinity';

/** $mergeObjects: later fields win; null and missing values are skipped. */
export function mergeObjects(values: readonly (BsonValue | undefined)[]): BsonValue {
  const only = values.length === 1 ? values[0] : undefined;
  const list = only !== undefined && only.type === BsonType.array ? elementsOf(only) : values;
  const out = new Map<string, BsonValue>();
  for (const v of list) {
    if (v === undefined || v.type === BsonType.null || v.type === BsonType.undefined) continue;
    if (v.type !== BsonType.object) {
      throw new MongoError(
        40400,
        `$mergeObjects requires object inputs, but input is of type ${typeName(v.type)}`,
      );
    }
    for (const [name, x] of fieldsOf(v)) out.set(name, x);
  }
  return objectOf([...out]);
}
