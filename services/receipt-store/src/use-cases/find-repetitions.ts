import { duplicateExternalId, duplicateTransactionId } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import { duplicateTransactionId as idOfDuplicate } from '../domain/duplicate-transaction-id';
import type { ReceiptIds, Receipts, TakenReceipt } from '../storage/receipts';
import type { Result, Submission } from './store-receipts';

/** The transaction id under which a receipt is stored; another attempt gives a duplicate another one. */
export function transactionIdOf({ posted, origin }: Submission, attempt: number): string {
  const { transaction_id: posted_id, duplicate } = posted;
  return duplicate ? idOfDuplicate(posted_id, origin, attempt) : posted_id;
}

/** Decides about a receipt of which an id is taken. */
export function judge({ posted, origin }: Submission, ids: ReceiptIds, taken: TakenReceipt): Result {
  if (taken.origin === origin) return { id: taken._id };
  const exists = { extra: { id: taken._id }, headers: { location: `/receipts/${taken._id}` } };
  if (taken.transaction_id !== ids.transaction_id) return new ServiceError(duplicateExternalId, exists);
  return posted.duplicate ? 'another suffix' : new ServiceError(duplicateTransactionId, exists);
}

function idsOf(submission: Submission, attempt: number): ReceiptIds {
  const { id, posted, call } = submission;
  const external = posted.external_id ?? undefined;
  return {
    _id: id,
    retailer: call.retailer,
    transaction_id: transactionIdOf(submission, attempt),
    ...(external !== undefined && { external_id: external.toLowerCase() }),
  };
}

/**
 * What a receipt brings along, a store or attachments, is saved before itself. So that a receipt which is posted again,
 * maybe years later, changes no store and keeps nothing twice, those that bring something are looked for first.
 * @returns the outcome of each that is there already
 */
export async function findRepetitions(
  receipts: Pick<Receipts, 'findTaken'>,
  submissions: readonly Submission[],
  attempt: number,
): Promise<ReadonlyMap<Submission, Result>> {
  const bringing = submissions.filter(({ posted }) => posted.store ?? posted.attachments);
  if (bringing.length === 0) return new Map();
  const ids = bringing.map((submission) => idsOf(submission, attempt));
  const deadline = Math.max(...bringing.map(({ call }) => call.deadline));
  const found = await receipts.findTaken(ids, { deadline });
  const results = bringing.flatMap((submission, i): [Submission, Result][] => {
    const taken = found[i];
    return taken ? [[submission, judge(submission, ids[i] as ReceiptIds, taken)]] : [];
  });
  return new Map(results);
}
