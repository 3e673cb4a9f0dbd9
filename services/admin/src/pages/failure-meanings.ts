import type { FailureReason } from '@receipts/contracts';

/** Explanations of the reasons for readers who do not know the documentation. */
export const failureMeanings: Readonly<Record<FailureReason, string>> = {
  no_mapping: 'no mapping matches the data',
  decode_failed: 'the data is not in the format that the mapping expects',
  mapping_failed: 'the mapping failed',
  timeout: 'the mapping took too long',
  too_large: 'the data or its receipts are too large',
  invalid_receipt: 'the result is not a valid receipt',
  duplicate_transaction_id: 'a receipt with this transaction id already exists',
  crashed: 'the conversion crashed',
};
