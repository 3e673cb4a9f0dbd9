import type { PostedReceipt } from '@receipts/contracts';
import type { Call, ServiceError } from '@receipts/kernel';
import type { IdempotencyKey } from '../storage/receipt-document';

/** A receipt to be stored; the body has passed the schema. */
export interface Submission {
  readonly id: string;
  readonly posted: PostedReceipt;
  readonly posDataIds: readonly string[];
  /** The same for every execution of the same request, so that a repetition recognises what it has stored before. */
  readonly origin: string;
  readonly idem?: IdempotencyKey;
  readonly call: Call;
}

/** `replayed` for a request that was executed before with the same idempotency key. */
export type Stored = { readonly id: string; readonly replayed?: boolean } | ServiceError;

/** `again`: with the next duplicate number, or because an expired idempotency key was released. */
export type Result = Stored | 'again';
