import { MongoError } from '../errors';
import { NULL, string } from '../bson/make';
import { numberOf } from '../bson/number';
import { decimalText } from '../bson/decimal';
import { T, typeName } from '../bson/types';
import { objectOf } from '../bson/write';
import { boolOf, dateOf, elementsOf, fieldsOf, type Val } from '../bson/value';

export function toText(v: Val | undefined): Val {
  if (v === undefined || v.type === T.NULL || v.type === T.UNDEFINED) return NULL;
  switch (v.type) {
    case T.STRING:
      return v;
    case T.BOOL:
      return string(String(boolOf(v)));
    case T.INT:
      return string(String(numberOf(v)));
    case T.DOUBLE:
      return string(doubleText(numberOf(v)));
    case T.LONG:
      return string(String(v.bytes.readBigInt64LE(v.start)));
    case T.DECIMAL:
      return string(decimalText(v));
    case T.OBJECT_ID:
      return string(v.bytes.toString('hex', v.start, v.end));
    case T.DATE:
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
export function mergeObjects(values: readonly (Val | undefined)[]): Val {
  const only = values.length === 1 ? values[0] : undefined;
  const list = only !== undefined && only.type === T.ARRAY ? elementsOf(only) : values;
  const out = new Map<string, Val>();
  for (const v of list) {
    if (v === undefined || v.type === T.NULL || v.type === T.UNDEFINED) continue;
    if (v.type !== T.OBJECT) {
      throw new MongoError(
        40400,
        `$mergeObjects requires object inputs, but input is of type ${typeName(v.type)}`,
      );
    }
    for (const [name, x] of fieldsOf(v)) out.set(name, x);
  }
  return objectOf([...out]);
}
