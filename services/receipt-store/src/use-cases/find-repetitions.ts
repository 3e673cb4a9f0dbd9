import { duplicateExternalId, duplicateTransactionId, linkTaken } from '@receipts/contracts';
import { isRepetition } from '@receipts/storage';
import { ServiceError } from '@receipts/kernel';
import { duplicateTransactionId as idOfDuplicate } from '../domain/duplicate-transaction-id';
import type { ReceiptIds, Receipts, TakenReceipt } from '../storage/receipts';
import { isExpired } from './check-link';
import { expected, type AttemptOutcome, type Submission } from './submission';

/** The transaction id under which a receipt is stored. For a duplicate, it depends on the attempt. */
export function transactionIdOf({ posted, origin }: Submission, attempt: number): string {
  const { transaction_id: posted_id, duplicate } = posted;
  return duplicate ? idOfDuplicate(posted_id, origin, attempt) : posted_id;
}

/**
 * Decides the outcome of a receipt when one of its ids is in use.
 * @throws ServiceError if the receipt is rejected
 */
export async function resolveConflict(
  receipts: Pick<Receipts, 'releaseKey'>,
  submission: Submission,
  ids: ReceiptIds,
  taken: TakenReceipt,
): Promise<AttemptOutcome> {
  const { id, posted, origin, idem } = submission;
  if (idem && taken.idem?.key === idem.key) {
    if (!isRepetition(idem, taken.idem)) {
      await receipts.releaseKey(taken, submission.call);
      return 'again';
    }
    // If the message is the same, the broker redelivered it, which does not count as a retry by the caller.
    const isRedelivered = taken._id === submission.call.id || taken.created?.cause === submission.call.id;
    return { id: taken._id, replayed: !isRedelivered };
  }
  if (taken.origin === origin) return { id: taken._id };
  const exists = { extra: { id: taken._id }, headers: { location: `/receipts/${taken._id}` } };
  if (taken.transaction_id !== ids.transaction_id) {
    throw new ServiceError(taken._id === id ? linkTaken : duplicateExternalId, exists);
  }
  if (posted.duplicate) return 'again';
  throw new ServiceError(duplicateTransactionId, exists);
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
 * Stores and attachments of a receipt are saved before the receipt. Receipts with a store or attachments are looked up
 * first, so that a receipt that is posted again, maybe years later, does not change its store or save attachments
 * twice. Receipts with an expired link are also looked up, because a used link does not expire.
 * @returns the outcomes of receipts that are already stored
 */
export async function findRepetitions(
  receipts: Pick<Receipts, 'findTaken' | 'releaseKey'>,
  submissions: readonly Submission[],
  attempt: number,
  now: Date,
): Promise<ReadonlyMap<Submission, AttemptOutcome>> {
  const bringing = submissions.filter(
    ({ posted, link }) => posted.store ?? posted.attachments ?? (link && isExpired(link, now)),
  );
  if (bringing.length === 0) return new Map();
  const ids = bringing.map((submission) => idsOf(submission, attempt));
  const deadline = Math.max(...bringing.map(({ call }) => call.deadline));
  const found = await receipts.findTaken(ids, { deadline });
  const results = new Map<Submission, AttemptOutcome>();
  for (const [i, submission] of bringing.entries()) {
    const taken = found[i];
    if (!taken) continue;
    const conflict = resolveConflict(receipts, submission, ids[i] as ReceiptIds, taken);
    results.set(submission, await expected(conflict));
  }
  return results;
}
