import type { PostedReceipt } from '@receipts/contracts';
import type { Call, ServiceError } from '@receipts/kernel';
import type { IdempotencyKey } from '../storage/receipt-document';

/** A receipt on its way in; the body has passed the schema. */
export interface Submission {
  readonly id: string;
  readonly posted: PostedReceipt;
  readonly posDataIds: readonly string[];
  /** The same for every execution of the same request, so that a repetition recognises what it has written before. */
  readonly origin: string;
  readonly idem?: IdempotencyKey;
  readonly call: Call;
}

/** `replayed` for a request that was executed before, under its idempotency key. */
export type Stored = { readonly id: string; readonly replayed?: boolean } | ServiceError;

/** `again`: under the next number among duplicates, or now that an old idempotency key is free. */
export type Result = Stored | 'again';
