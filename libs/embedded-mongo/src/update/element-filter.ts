import { objectOf } from '../bson/write';
import { BsonType } from '../bson/types';
import type { BsonValue } from '../bson/value';
import { compileFilter } from '../query/match';
import { parseFilter } from '../query/parse';

/** Compiles a test of array elements: operators on the element itself, or a filter on elements that are documents. */
export function parseElementFilter(value: BsonValue, operators: boolean): (element: BsonValue) => boolean {
  if (!operators) {
    const matches = compileFilter(parseFilter(value));
    return (v) => v.type === BsonType.object && matches(v);
  }
  const matches = compileFilter(parseFilter(objectOf([['e', value]])));
  return (v) => matches(objectOf([['e', v]]));
}
