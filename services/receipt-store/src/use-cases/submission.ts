import type { PostedReceipt } from '@receipts/contracts';
import { ServiceError, type Call, type RequestKey } from '@receipts/kernel';

/** A receipt to be stored; the body has passed the schema. */
export interface Submission {
  readonly id: string;
  readonly posted: PostedReceipt;
  readonly posDataIds: readonly string[];
  /** The same for every execution of the same request, so that a repetition recognises what it has stored before. */
  readonly origin: string;
  readonly idem?: RequestKey;
  readonly call: Call;
}

/** `replayed` for a request that was executed before with the same idempotency key. */
export type Stored = { readonly id: string; readonly replayed?: boolean } | ServiceError;

/** `again`: with the next duplicate number, or because an expired idempotency key was released. */
export type Result = Stored | 'again';

/** Turns an expected failure into a value, so that it affects only one receipt of a batch. */
export async function expected<T>(work: Promise<T>): Promise<T | ServiceError> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}
