import { MongoError } from '../errors';
import { BsonType } from './types';
import { corrupt, cstringEnd, endOf, i32 } from './value';

/** MongoDB's limit on the nesting depth of documents and arrays. */
export const nestingDepthMax = 180;

/**
 * Checks that the document at p is well formed and ends by `limit`, so that readers need no bounds checks afterwards.
 * Returns its end. Throws code 22 InvalidBSON, or 15 if it is nested too deeply.
 */
export function validateDocument(b: Buffer, p: number, limit: number, depth = 0): number {
  if (depth > nestingDepthMax)
    throw new MongoError(15, `document is nested deeper than ${nestingDepthMax} levels`);
  if (limit - p < 5) throw corrupt('document is cut short');
  const end = p + i32(b, p);
  if (end > limit || end < p + 5 || b[end - 1] !== 0) throw corrupt('wrong document length');
  p += 4;
  while (b[p] !== 0) {
    const type = b[p]!;
    const start = cstringEnd(b, p + 1) + 1;
    if (start >= end) throw corrupt('field name runs over the end of its document');
    p = validateValue(type, b, start, end - 1, depth);
  }
  if (p !== end - 1) throw corrupt('document ends early');
  return end;
}

function validateValue(type: number, b: Buffer, p: number, limit: number, depth: number): number {
  if (type === BsonType.object || type === BsonType.array) return validateDocument(b, p, limit, depth + 1);
  if (type === BsonType.string || type === BsonType.binary) {
    if (limit - p < 4) throw corrupt('length is cut short');
    const n = i32(b, p);
    if (n < (type === BsonType.string ? 1 : 0) || n > limit - p) throw corrupt('wrong length of a value');
    if (type === BsonType.string && b[p + 3 + n] !== 0) throw corrupt('string does not end with NUL');
  }
  const end = endOf(type, b, p);
  if (end > limit) throw corrupt('value runs over the end of its document');
  return end;
}
