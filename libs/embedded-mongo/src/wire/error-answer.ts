import { MongoError } from '../errors';
import { encode, type Plain } from '../bson/write';

/** The answer that carries an error; anything but a MongoError is a fault of this server. */
export function errorAnswer(error: unknown): Buffer {
  const e =
    error instanceof MongoError ? error : new MongoError(1, `internal error: ${(error as Error).message}`);
  return encode({
    ok: 0,
    errmsg: e.message,
    code: e.code,
    codeName: e.codeName,
    ...(e.extra as Record<string, Plain>),
  });
}
