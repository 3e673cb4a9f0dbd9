import { deadlineSignal } from '@receipts/storage';

/** Until when a search may look into the database, epoch milliseconds. */
export interface SearchPatience {
  readonly deadline: number;
}

/** The database gives up a little earlier than we stop to listen, so that its answer arrives and the connection is kept. */
const answerMarginMs = 50;

/** The options that end a read in time: the database stops working on it, and we stop to wait for it. */
export function limitsOf(patience: SearchPatience): {
  readonly signal: AbortSignal;
  readonly maxTimeMS: number;
} {
  const leftMs = Math.floor(patience.deadline - Date.now() - answerMarginMs);
  return { signal: deadlineSignal(patience), maxTimeMS: Math.max(1, leftMs) };
}
