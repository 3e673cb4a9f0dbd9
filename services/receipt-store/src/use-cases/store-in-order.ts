import { handleBatch } from '@receipts/concurrency';
import { ServiceError, type Log } from '@receipts/kernel';
import type { StoreReceipts } from './store-receipts';
import type { StoreOutcome, Submission } from './submission';

const internalError = { status: 500, description: 'internal error' };

/** The ids that no other receipt may have. A duplicate gets its own transaction id. */
function uniqueNamesOf({ posted }: Submission): string[] {
  const { transaction_id, external_id, duplicate } = posted;
  return [
    ...(duplicate === true ? [] : [`transaction ${transaction_id}`]),
    ...(typeof external_id === 'string' ? [`external ${external_id.toLowerCase()}`] : []),
  ];
}

/** The number of receipts up to the first that repeats an id, because its outcome depends on the earlier receipt. */
function countUntilRepetition(submissions: readonly Submission[]): number {
  const seen = new Set<string>();
  const end = submissions.findIndex((submission) => {
    const names = uniqueNamesOf(submission);
    if (names.some((name) => seen.has(name))) return true;
    for (const name of names) seen.add(name);
    return false;
  });
  return end < 0 ? submissions.length : end;
}

/**
 * Stores receipts as if each were posted after the response to the previous one. Those up to the first that repeats an
 * id are written together.
 * @returns the outcome of each receipt, in order
 */
export async function storeInOrder(
  storing: Pick<StoreReceipts, 'store'>,
  submissions: readonly Submission[],
  log: Log,
): Promise<readonly StoreOutcome[]> {
  const outcomes: StoreOutcome[] = [];
  while (outcomes.length < submissions.length) {
    const left = submissions.slice(outcomes.length);
    const next = left.slice(0, countUntilRepetition(left));
    const stored = await handleBatch(
      next,
      (some: readonly Submission[]) => storing.store(some),
      (error) => {
        log.error('a receipt of a batch could not be stored', { error });
        return new ServiceError(internalError, { cause: error });
      },
    );
    outcomes.push(...stored);
  }
  return outcomes;
}
