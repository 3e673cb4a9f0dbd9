import { ServiceError, unavailable } from '@receipts/kernel';
import { deadlineSignal } from '@receipts/storage';

/** Until when a search may go on, epoch milliseconds. */
export interface TimeLimit {
  readonly deadline: number;
}

/** The database gives up a little earlier than we stop to listen, so that its answer arrives and the connection is kept. */
const answerMarginMs = 50;

/** The options that end a read in time: the database stops working on it, and we stop to wait for it. */
export function limitsOf(timeLimit: TimeLimit): {
  readonly signal: AbortSignal;
  readonly maxTimeMS: number;
} {
  const leftMs = Math.floor(timeLimit.deadline - Date.now() - answerMarginMs);
  return { signal: deadlineSignal(timeLimit), maxTimeMS: Math.max(1, leftMs) };
}

/** @throws ServiceError 503 when the time is up. */
export function checkTimeLimit({ deadline }: TimeLimit): void {
  if (Date.now() < deadline) return;
  const headers = { 'retry-after': '1' };
  throw new ServiceError(unavailable, { headers, internal: 'the search took too long' });
}

/** How long a search may keep this process to itself. */
const turnMsMax = 5;

/** For work on one hit after another, each of which may be megabytes of text: others get their turn in between. */
export class Turns {
  private end = performance.now() + turnMsMax;

  async between(): Promise<void> {
    if (performance.now() < this.end) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.end = performance.now() + turnMsMax;
  }
}
