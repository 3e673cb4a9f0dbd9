import { MongoError } from '../errors';
import { encode } from '../bson/write';

/** The reply for an error. Any error other than MongoError is reported as an internal error. */
export function errorAnswer(error: unknown): Buffer {
  const e =
    error instanceof MongoError ? error : new MongoError(1, `internal error: ${(error as Error).message}`);
  return encode({ ok: 0, errmsg: e.message, code: e.code, ...e.details });
}
