import { duplicateExternalId, duplicateTransactionId } from '@receipts/contracts';
import { idempotencyMismatch, ServiceError } from '@receipts/kernel';
import { duplicateTransactionId as idOfDuplicate } from '../domain/duplicate-transaction-id';
import type { ReceiptIds, Receipts, TakenReceipt } from '../storage/receipts';
import type { Result, Submission } from './submission';

/** The transaction id under which a receipt is stored. For a duplicate it depends on the attempt. */
export function transactionIdOf({ posted, origin }: Submission, attempt: number): string {
  const { transaction_id: posted_id, duplicate } = posted;
  return duplicate ? idOfDuplicate(posted_id, origin, attempt) : posted_id;
}

/** How long an idempotency key gives the first answer again. */
const keyKeptMs = 24 * 60 * 60_000;

/** Decides about a receipt one of whose ids is taken. */
export async function judge(
  receipts: Pick<Receipts, 'releaseKey'>,
  submission: Submission,
  ids: ReceiptIds,
  taken: TakenReceipt,
): Promise<Result> {
  const { id, posted, origin, idem } = submission;
  if (idem && taken.idem?.key === idem.key) {
    if (idem.at.getTime() - taken.idem.at.getTime() > keyKeptMs) {
      await receipts.releaseKey(taken, submission.call);
      return 'again';
    }
    if (taken.idem.fingerprint !== idem.fingerprint) return new ServiceError(idempotencyMismatch);
    // If the ids are the same, the broker redelivered the message; that is no repetition by the caller.
    return { id: taken._id, replayed: taken._id !== id };
  }
  if (taken.origin === origin) return { id: taken._id };
  const exists = { extra: { id: taken._id }, headers: { location: `/receipts/${taken._id}` } };
  if (taken.transaction_id !== ids.transaction_id) return new ServiceError(duplicateExternalId, exists);
  return posted.duplicate ? 'again' : new ServiceError(duplicateTransactionId, exists);
}

function idsOf(submission: Submission, attempt: number): ReceiptIds {
  const { id, posted, call, idem } = submission;
  const external = posted.external_id ?? undefined;
  return {
    _id: id,
    retailer: call.retailer,
    transaction_id: transactionIdOf(submission, attempt),
    ...(external !== undefined && { external_id: external.toLowerCase() }),
    ...(idem && { idem }),
  };
}

/**
 * Stores and attachments of a receipt are saved before the receipt. So that a receipt that is posted again, maybe years
 * later, does not change its store or save attachments twice, receipts with either are looked up first.
 * @returns the outcome of each that is stored already
 */
export async function findRepetitions(
  receipts: Pick<Receipts, 'findTaken' | 'releaseKey'>,
  submissions: readonly Submission[],
  attempt: number,
): Promise<ReadonlyMap<Submission, Result>> {
  const bringing = submissions.filter(({ posted }) => posted.store ?? posted.attachments);
  if (bringing.length === 0) return new Map();
  const ids = bringing.map((submission) => idsOf(submission, attempt));
  const deadline = Math.max(...bringing.map(({ call }) => call.deadline));
  const found = await receipts.findTaken(ids, { deadline });
  const results = new Map<Submission, Result>();
  for (const [i, submission] of bringing.entries()) {
    const taken = found[i];
    if (taken) results.set(submission, await judge(receipts, submission, ids[i] as ReceiptIds, taken));
  }
  return results;
}
