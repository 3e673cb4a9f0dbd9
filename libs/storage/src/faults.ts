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
import { remainingMs, retrySoon, unavailable, type ServiceError, type TimeLimit } from '@receipts/kernel';

/** The maximum time of one database call, even if the caller's deadline is later. */
export const databaseTimeoutMs = 2_000;

/** A signal for one database call of background work, which has no caller with a deadline. */
export const databaseTimeout = (): AbortSignal => AbortSignal.timeout(databaseTimeoutMs);

/**
 * A signal for one database call that fires at the caller's deadline, or after 2 s at the latest. The driver's own
 * `timeoutMS` has no effect, and `maxTimeMS` only helps if the server responds.
 * @param calls one call, or several that are handled together; then the latest deadline counts
 * @param timeoutMsMax replaces 2 s; the call then needs its own `socketTimeoutMS`
 */
export function deadlineSignal(
  calls: TimeLimit | readonly TimeLimit[],
  now: number = Date.now(),
  timeoutMsMax: number = databaseTimeoutMs,
): AbortSignal {
  const list: readonly TimeLimit[] = 'deadline' in calls ? [calls] : calls;
  const left = list.reduce((most, call) => Math.max(most, remainingMs(call, now)), 0);
  // A timer of 0 ms could fire after a fast response, so the signal is aborted from the start.
  if (left <= 0) return AbortSignal.abort(new DOMException('there is no time left', 'TimeoutError'));
  return AbortSignal.timeout(Math.ceil(Math.min(timeoutMsMax, left)));
}

/**
 * Options of a read whose result is never rolled back. Otherwise, a failover could undo the write of a number that was
 * already read, and the number would be assigned again.
 * @param calls see `deadlineSignal`; absent for background work
 */
export const majorityRead = (calls?: Parameters<typeof deadlineSignal>[0]) =>
  ({ readConcern: 'majority', signal: calls ? deadlineSignal(calls) : databaseTimeout() }) as const;

/**
 * Transient server errors: an election, a shutdown, a full disk, a timeout inside the server. The codes are
 * from MongoDB's error_codes.yml.
 */
const passingCodes = new Set([
  6, 7, 24, 50, 64, 89, 91, 112, 189, 202, 262, 358, 9001, 10107, 11600, 11602, 13435, 13436, 14031,
]);

/** Matched by name: the driver does not export the classes of its pool errors. */
const passingNames = new Set([
  'MongoWaitQueueTimeoutError',
  'MongoPoolClosedError',
  'TimeoutError',
  'AbortError',
]);

const passingClasses = [
  MongoNetworkError,
  MongoSystemError,
  MongoOperationTimeoutError,
  MongoTopologyClosedError,
  MongoNotConnectedError,
  MongoServerClosedError,
  MongoClientClosedError,
  MongoWriteConcernError,
];

function isPassing(error: unknown): boolean {
  // The reason of an aborted signal can come from another realm, whose `Error` is a different class.
  if (passingNames.has(String((error as { name?: unknown } | undefined)?.name))) return true;
  if (!(error instanceof Error)) return false;
  if (passingClasses.some((passing) => error instanceof passing)) return true;
  // A bulk write error wraps the error that broke the connection.
  if (error instanceof MongoBulkWriteError && isPassing(error.errorResponse)) return true;
  if (error instanceof MongoServerError) return passingCodes.has(Number(error.code));
  return error instanceof MongoError && error.hasErrorLabel('RetryableWriteError');
}

/**
 * The public error for an unavailable database: lost connection, timeout, no free connection, no primary. The
 * outcome of a write that failed this way is unknown. Undefined for all other errors.
 */
export function toUnavailableError(error: unknown): ServiceError | undefined {
  if (!isPassing(error)) return undefined;
  return retrySoon(unavailable, {
    internal: `the database cannot be used: ${(error as Error).name}`,
    cause: error,
  });
}

/** Runs storage work and converts a transient database failure into the 503 of `toUnavailableError`. */
export async function withStorageErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toUnavailableError(error) ?? error;
  }
}

const duplicateKeyCode = 11_000;

function violates(message: string | undefined, indexName: string): boolean {
  // The server's message has the form "... index: <name> dup key: ...".
  return message?.includes(` index: ${indexName} `) ?? false;
}

/**
 * Whether a write was rejected by a unique index.
 * @param error the thrown error, or one of the write errors of a bulk write
 * @param indexName restricts the check to this index; `_id_` is the primary key
 */
export function isDuplicateKey(error: unknown, indexName?: string): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, message, errmsg } = error as { code?: unknown; message?: string; errmsg?: string };
  if (code !== duplicateKeyCode) return false;
  return indexName === undefined || violates(errmsg ?? message, indexName);
}

/**
 * The failures of a bulk write, keyed by operation index. If the write is unordered, all other operations succeeded;
 * if it is ordered, those before its only failure did. Undefined for any other error, which does not concern individual
 * operations.
 */
export function writeErrorsByIndex(error: unknown): ReadonlyMap<number, WriteError> | undefined {
  if (!(error instanceof MongoBulkWriteError)) return undefined;
  const { writeErrors } = error;
  const list: readonly WriteError[] = 'index' in writeErrors ? [writeErrors] : writeErrors;
  if (list.length === 0) return undefined;
  return new Map(list.map((writeError) => [writeError.index, writeError]));
}

/**
 * Runs an unordered bulk write, and returns the indexes of the operations that a unique index rejected.
 * @throws any other error, even if a single operation failed for another reason
 */
export async function duplicatesIn(write: () => Promise<unknown>): Promise<ReadonlySet<number>> {
  try {
    await write();
    return new Set();
  } catch (error) {
    const faults = writeErrorsByIndex(error);
    if (!faults || ![...faults.values()].every((fault) => isDuplicateKey(fault))) throw error;
    return new Set(faults.keys());
  }
}
