import {
  MongoBulkWriteError,
  MongoClientClosedError,
  MongoError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerClosedError,
  MongoServerError,
  MongoSystemError,
  MongoTopologyClosedError,
  MongoWriteConcernError,
  type WriteError,
} from 'mongodb';
import { remainingMs, ServiceError, unavailable, type Call } from '@receipts/kernel';

/** The longest that one call to the database may take, whatever is left until the caller's deadline. */
export const databaseTimeoutMs = 2_000;

/**
 * A signal for one call to the database: it fires when the caller gives up, and after 2 s at the latest. The driver's
 * own `timeoutMS` does nothing, and `maxTimeMS` needs a server that answers.
 * @param calls one call, or those that are handled together: then the most patient one counts.
 */
export function deadlineSignal(
  calls: Pick<Call, 'deadline'> | readonly Pick<Call, 'deadline'>[],
  now: number = Date.now(),
): AbortSignal {
  const list = Array.isArray(calls) ? (calls as readonly Call[]) : [calls as Call];
  const left = list.reduce((most, call) => Math.max(most, remainingMs(call, now)), 0);
  // A timer of no time may come after an answer that was quick.
  if (left <= 0) return AbortSignal.abort(new DOMException('there is no time left', 'TimeoutError'));
  return AbortSignal.timeout(Math.ceil(Math.min(databaseTimeoutMs, left)));
}

/**
 * Server errors that pass by themselves: an election, a shutdown, a full disk, a time-out inside the server. Numbers from
 * MongoDB's error_codes.yml.
 */
const passingCodes = new Set([
  6, 7, 24, 50, 64, 89, 91, 112, 189, 202, 262, 358, 9001, 10107, 11600, 11602, 13435, 13436, 14031,
]);

/** The driver does not export these two classes. */
const passingNames = new Set([
  'MongoWaitQueueTimeoutError',
  'MongoPoolClosedError',
  'TimeoutError',
  'AbortError',
]);

function isPassing(error: unknown): boolean {
  // The reason of an aborted signal can come from another realm, where `Error` is another class.
  if (passingNames.has(String((error as { name?: unknown } | undefined)?.name))) return true;
  if (!(error instanceof Error)) return false;
  if (
    error instanceof MongoNetworkError ||
    error instanceof MongoSystemError ||
    error instanceof MongoOperationTimeoutError ||
    error instanceof MongoTopologyClosedError ||
    error instanceof MongoNotConnectedError ||
    error instanceof MongoServerClosedError ||
    error instanceof MongoClientClosedError ||
    error instanceof MongoWriteConcernError
  ) {
    return true;
  }
  // A bulk write wraps whatever broke the connection.
  if (error instanceof MongoBulkWriteError && isPassing(error.errorResponse)) return true;
  if (error instanceof MongoServerError) return passingCodes.has(Number(error.code));
  return error instanceof MongoError && error.hasErrorLabel('RetryableWriteError');
}

/**
 * The public error for a database that cannot be used at the moment: lost connections, time-outs, no connection free, no
 * primary. After such an error of a write its outcome is unknown. Undefined for every other error.
 */
export function storageFault(error: unknown): ServiceError | undefined {
  if (!isPassing(error)) return undefined;
  return new ServiceError(unavailable, {
    internal: `the database cannot be used: ${(error as Error).name}`,
    headers: { 'retry-after': '1' },
    cause: error,
  });
}

/** Runs a piece of storage work; a passing failure of the database becomes the 503 of `storageFault`. */
export async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storageFault(error) ?? error;
  }
}

const duplicateKeyCode = 11_000;

function violates(message: string | undefined, indexName: string): boolean {
  // The server says "... index: <name> dup key: ...".
  return message?.includes(` index: ${indexName} `) ?? false;
}

/**
 * True when a write was refused by a unique index.
 * @param error what was thrown, or one of the write errors of a bulk write
 * @param indexName asks for this index only; `_id_` is the primary key
 */
export function isDuplicateKey(error: unknown, indexName?: string): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, message, errmsg } = error as { code?: unknown; message?: string; errmsg?: string };
  if (code !== duplicateKeyCode) return false;
  return indexName === undefined || violates(errmsg ?? message, indexName);
}

/**
 * The failures of an unordered bulk write by the position of the operation; all others were done. Undefined when the
 * error is not of that kind, so that nothing is known about any of the operations.
 */
export function writeErrorsByIndex(error: unknown): ReadonlyMap<number, WriteError> | undefined {
  if (!(error instanceof MongoBulkWriteError)) return undefined;
  const { writeErrors } = error;
  const list: readonly WriteError[] = 'index' in writeErrors ? [writeErrors] : writeErrors;
  if (list.length === 0) return undefined;
  return new Map(list.map((writeError) => [writeError.index, writeError]));
}
