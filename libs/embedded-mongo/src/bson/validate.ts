import { MongoError } from '../errors';
import { BsonType } from './types';
import { corrupt, cstringEnd, endOf, i32 } from './value';

/** MongoDB's limit of the nesting depth of documents and arrays. */
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
  const variable =
    type === BsonType.string ||
    type === BsonType.code ||
    type === BsonType.symbol ||
    type === BsonType.dbPointer;
  if (variable || type === BsonType.binary || type === BsonType.codeWithScope) {
    if (limit - p < 4) throw corrupt('length is cut short');
    const n = i32(b, p);
    if (n < (variable ? 1 : 0) || n > limit - p) throw corrupt('wrong length of a value');
    if (variable && b[p + 3 + n] !== 0) throw corrupt('string does not end with NUL');
    if (type === BsonType.codeWithScope) return validateCodeWithScope(b, p, p + n, limit, depth);
  }
  const end = endOf(type, b, p);
  if (end > limit) throw corrupt('value runs over the end of its document');
  return end;
}

function validateCodeWithScope(b: Buffer, p: number, end: number, limit: number, depth: number): number {
  if (end > limit || end - p < 14) throw corrupt('wrong length of code with scope');
  const code = i32(b, p + 4);
  if (code < 1 || code > end - p - 13) throw corrupt('wrong length of code');
  if (validateDocument(b, p + 8 + code, end, depth + 1) !== end) throw corrupt('code with scope ends early');
  return end;
}
