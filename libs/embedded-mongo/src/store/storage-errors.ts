import { MongoError } from '../errors';

const mdbMapFull = -30792;
const enospc = 28;
const edquot = 122;
const efbig = 27;
const eio = 5;

export const isLmdbError = (e: unknown): boolean =>
  !(e instanceof MongoError) && typeof (e as { code?: unknown }).code === 'number';

/** LMDB reports a partial write to a full disk as EIO. */
const noSpace = new Set<unknown>([mdbMapFull, enospc, edquot, efbig, eio, 'ENOSPC', 'EDQUOT', 'EFBIG']);

/** A full disk is an error that clients can handle. Everything else is an internal error. */
export function asMongoError(error: unknown): MongoError {
  if (error instanceof MongoError) return error;
  const { code, message } = error as { code?: unknown; message?: string };
  const text = message ?? String(error);
  return noSpace.has(code)
    ? new MongoError(14031, `no space left to write (${text})`)
    : new MongoError(1, text);
}
