import { unavailable, type TimeLimit } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';
import { SearchTimeout } from './attempts';

/**
 * The database's limit ends this much earlier than ours, so that its error still arrives and the connection is kept.
 */
const answerMarginMs = 50;

/** Options that limit the time of a read: `maxTimeMS` ends it in the database, `signal` ends our waiting. */
export function limitsOf(timeLimit: TimeLimit): {
  readonly signal: AbortSignal;
  readonly maxTimeMS: number;
} {
  const leftMs = Math.floor(timeLimit.deadline - Date.now() - answerMarginMs);
  return { signal: deadlineSignal(timeLimit), maxTimeMS: Math.max(1, leftMs) };
}

/** @throws ServiceError 503 after the deadline. */
export function checkTimeLimit({ deadline }: TimeLimit): void {
  if (Date.now() < deadline) return;
  const headers = { 'retry-after': '1' };
  throw new SearchTimeout(unavailable, { headers, internal: 'the search took too long' });
}

/** How long a search may occupy the event loop. */
const turnMsMax = 5;

/** Lets others run between hits, each of which may be megabytes of text. */
export class Turns {
  private end = performance.now() + turnMsMax;

  async between(): Promise<void> {
    if (performance.now() < this.end) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.end = performance.now() + turnMsMax;
  }
}
