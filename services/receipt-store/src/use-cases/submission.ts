import type { AllottedLink, AllottedLinks, PostedReceipt } from '@receipts/contracts';
import { ServiceError, type Call, type RequestKey } from '@receipts/kernel';
import { toUnavailableError } from '@receipts/storage';

/** A receipt to be stored; the body has been validated against the schema. */
export interface Submission {
  readonly id: string;
  readonly posted: PostedReceipt;
  readonly posDataIds: readonly string[];
  /**
   * The same for every execution of the same request, so that a retry recognizes the receipt that was stored before.
   */
  readonly origin: string;
  readonly idem?: RequestKey;
  /** The link that was posted with the receipt; its receipt has the same id as this submission. */
  readonly link?: AllottedLink | 'unknown';
  readonly call: Call;
}

/** A receipt as posted by a caller. A link determines its id, so the primary key decides who uses the link. */
export function postedSubmission(
  posted: PostedReceipt,
  submission: Pick<Submission, 'id' | 'origin' | 'idem' | 'call'>,
  links: Pick<AllottedLinks, 'open'>,
): Submission {
  const given = { posted, posDataIds: [], ...submission };
  if (typeof posted.link !== 'string') return given;
  const link = links.open(posted.link, submission.call.retailer);
  return link ? { ...given, id: link.receiptId, link } : { ...given, link: 'unknown' };
}

/** What became of a submission; `replayed` if its request was executed before with the same idempotency key. */
export type StoreOutcome = { readonly id: string; readonly replayed?: boolean } | ServiceError;

/**
 * What became of an attempt to store it; `again`: retry with the next duplicate number, or because an expired idempotency
 * key was released.
 */
export type AttemptOutcome = StoreOutcome | 'again';

/**
 * Turns an expected failure, or a transient one of the database, into a value, so that it affects only one receipt of a
 * batch.
 */
export async function expected<T>(work: Promise<T>): Promise<T | ServiceError> {
  try {
    return await work;
  } catch (error) {
    const known = error instanceof ServiceError ? error : toUnavailableError(error);
    if (known) return known;
    throw error;
  }
}
