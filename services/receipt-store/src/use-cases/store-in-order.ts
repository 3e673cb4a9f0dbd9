import { handleBatch } from '@receipts/concurrency';
import { ServiceError, type Log } from '@receipts/kernel';
import type { ReceiptIds, TakenReceipt } from '../storage/receipts';
import type { StoreReceipts } from './store-receipts';
import type { Stored, Submission } from './submission';

const internalError = { status: 500, description: 'internal error' };

type UniqueIds = Pick<ReceiptIds, 'transaction_id' | 'external_id'>;

/** The unique ids of a receipt. A duplicate gets its own transaction id. */
function uniqueIds({ posted }: Submission): Partial<UniqueIds> {
  const { transaction_id, external_id, duplicate } = posted;
  return {
    ...(duplicate !== true && { transaction_id }),
    ...(typeof external_id === 'string' && { external_id: external_id.toLowerCase() }),
  };
}

const namesOf = ({ transaction_id, external_id }: Partial<UniqueIds>): string[] => [
  ...(transaction_id === undefined ? [] : [`transaction ${transaction_id}`]),
  ...(external_id === undefined ? [] : [`external ${external_id}`]),
];

/**
 * Stores the receipts of a batch as if each were posted after the response to the previous receipt. Receipts are
 * written together up to the first receipt that repeats an id, because its outcome depends on the earlier receipt.
 */
export class StoreInOrder {
  /** The stored receipts of the batch, keyed by their unique ids. */
  private readonly taken = new Map<string, TakenReceipt>();

  constructor(
    private readonly storing: Pick<StoreReceipts, 'store'>,
    private readonly log: Log,
  ) {}

  /** Each receipt has its own outcome, in order. */
  async store(submissions: readonly Submission[]): Promise<readonly Stored[]> {
    const outcomes: Stored[] = [];
    while (outcomes.length < submissions.length) {
      const next = this.untilRepetition(submissions.slice(outcomes.length));
      const stored = await this.storeTogether(next);
      next.forEach((submission, i) => this.note(submission, stored[i] as Stored));
      outcomes.push(...stored);
    }
    return outcomes;
  }

  private untilRepetition(submissions: readonly Submission[]): readonly Submission[] {
    const pending = new Set<string>();
    const end = submissions.findIndex((submission) => {
      const names = namesOf(uniqueIds(submission));
      // This receipt is rejected regardless of the outcome of the others.
      if (names.some((name) => this.taken.has(name))) return false;
      if (names.some((name) => pending.has(name))) return true;
      for (const name of names) pending.add(name);
      return false;
    });
    return end < 0 ? submissions : submissions.slice(0, end);
  }

  private storeTogether(submissions: readonly Submission[]): Promise<readonly Stored[]> {
    const store = (some: readonly Submission[]) => this.storing.store(some, (ids) => this.takenBy(ids));
    return handleBatch(submissions, store, (error) => {
      this.log.error('a receipt of a batch could not be stored', { error });
      return new ServiceError(internalError, { cause: error });
    });
  }

  private takenBy(ids: UniqueIds): TakenReceipt | undefined {
    return namesOf(ids)
      .map((name) => this.taken.get(name))
      .find((taken) => taken !== undefined);
  }

  private note(submission: Submission, outcome: Stored): void {
    if (outcome instanceof ServiceError) return;
    const { call, origin, posted } = submission;
    const ids = uniqueIds(submission);
    const taken: TakenReceipt = {
      _id: outcome.id,
      retailer: call.retailer,
      transaction_id: posted.transaction_id,
      ...ids,
      origin,
    };
    for (const name of namesOf(ids)) this.taken.set(name, taken);
  }
}
