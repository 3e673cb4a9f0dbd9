import { unavailable, type TimeLimit } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { SearchTimeout } from './attempts';

/**
 * The database's limit ends this much earlier than ours, so that the database's error still arrives and the connection
 * is kept.
 */
const answerMarginMs = 50;

/** The time limit of a search, of which each read may use a part. */
export interface ReadLimit extends TimeLimit {
  /** When the database ends the read. Defaults to shortly before the deadline. */
  readonly readUntil?: number;
}

/** A limit for a read that may take this share of the remaining time. */
export function shareOf({ deadline }: TimeLimit, share: number): ReadLimit {
  const now = Date.now();
  return { deadline, readUntil: now + Math.max(0, deadline - now) * share };
}

/**
 * Options that limit the time of a read: `maxTimeMS` ends it in the database, `signal` ends our waiting for a database
 * that does not respond.
 */
export function limitsOf(limit: ReadLimit): { readonly signal: AbortSignal; readonly maxTimeMS: number } {
  const { deadline, readUntil = deadline } = limit;
  const end = Math.min(readUntil, deadline - answerMarginMs);
  return { signal: deadlineSignal(limit), maxTimeMS: Math.max(1, Math.floor(end - Date.now())) };
}

/** @throws ServiceError 503 after the deadline. */
export function checkTimeLimit({ deadline }: TimeLimit): void {
  if (Date.now() < deadline) return;
  const headers = { 'retry-after': '1' };
  throw new SearchTimeout(unavailable, { headers, internal: 'the search took too long' });
}

/** How long a search may occupy the event loop. */
const turnMsMax = 5;

/** Yields between hits, each of which may be megabytes of text. */
export class Turns {
  private end = performance.now() + turnMsMax;

  async between(): Promise<void> {
    if (performance.now() < this.end) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.end = performance.now() + turnMsMax;
  }
}
