import { ServiceError } from '@receipts/kernel';
import { MongoServerError } from 'mongodb';

/** MongoDB's error for a command that reached its `maxTimeMS`. */
const maxTimeExpiredCode = 50;

/** The search itself took too long. */
export class SearchTimeout extends ServiceError {}

/** Whether a read failed because the database was slow, or did not respond in time; undefined for any other error. */
function timeoutOf(error: unknown): 'slow' | 'silent' | undefined {
  if (error instanceof SearchTimeout) return 'slow';
  if (error instanceof MongoServerError) return error.code === maxTimeExpiredCode ? 'slow' : undefined;
  const name = (error as { readonly name?: unknown } | null | undefined)?.name;
  return name === 'TimeoutError' || name === 'AbortError' ? 'silent' : undefined;
}

/**
 * The reads of one search. A read that takes too long is aborted; the search fails only if the database has not
 * responded to any of them.
 */
export class Attempts {
  private hasResponse = false;
  private failure: Error | undefined;

  /** The result, or undefined if it did not arrive in time. */
  async run<T>(read: Promise<T>): Promise<T | undefined> {
    try {
      const result = await read;
      this.hasResponse = true;
      return result;
    } catch (error) {
      const timeout = timeoutOf(error);
      if (timeout === undefined) throw error;
      if (timeout === 'slow') this.hasResponse = true;
      this.failure = error as Error;
      return undefined;
    }
  }

  /** @throws the error of the last read if the database did not respond to any */
  check(): void {
    if (!this.hasResponse && this.failure) throw this.failure;
  }
}
