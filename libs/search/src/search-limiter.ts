import { RetailerLimiter } from '@receipts/concurrency';
import { remainingMs, type Call, type ErrorDefinition, type TimeLimit, retrySoon } from '@receipts/kernel';

/** The time limit for all database queries of one search. */
const searchBudgetMs = 1_900;
/** The minimum time for a search. A search that would have to wait longer is rejected. */
const leastBudgetMs = 500;
/** The time reserved for sending the reply. */
const answerMs = 200;
const runningMax = 2;
const waitingMax = 34;

/**
 * Limits the searches of each retailer. Searches that others are waiting for get less time, so that all of them
 * complete.
 */
export class SearchLimiter {
  private readonly limiter: RetailerLimiter;

  /** @param refusal the error if too many searches are waiting, or one has waited too long */
  constructor(refusal: ErrorDefinition) {
    const refuse = (internal: string) => retrySoon(refusal, { internal });
    this.limiter = new RetailerLimiter({ runningMax, waitingMax, refuse });
  }

  run<T>(call: Call, search: (timeLimit: TimeLimit) => Promise<T>): Promise<T> {
    const leftMs = () => Math.max(0, remainingMs(call, Date.now()) - answerMs);
    const waitMaxMs = Math.max(0, leftMs() - leastBudgetMs);
    return this.limiter.run(call.retailer, waitMaxMs, (waiting) => {
      const rounds = 1 + Math.ceil(waiting / runningMax);
      const shareMs = Math.max(leastBudgetMs, leftMs() / rounds);
      return search({ deadline: Date.now() + Math.min(searchBudgetMs, shareMs, leftMs()) });
    });
  }
}
