import type { FailureReason } from '@receipts/contracts';
import type { Advice } from './general-error-advice';

/** Keyed by the `reason` of a failed packet. */
export const failureAdvice: Readonly<Record<FailureReason, Advice>> = {
  no_mapping: {
    cause: "None of the retailer's active mappings selects packets of this content type, store or till.",
    cure: 'Create or activate a mapping that selects the packet, then reprocess it.',
  },
  decode_failed: {
    cause: 'The data does not match its content type, for example invalid XML or text in another encoding.',
    cure: 'Check the `Content-Type` that the till sends, and the `decode` part of the mapping.',
  },
  mapping_failed: {
    cause: 'An expression of the mapping failed during evaluation.',
    cure: '`errors` shows the expression and the error. Correct the mapping, test it with a dry run, and reprocess the packet.',
  },
  timeout: {
    cause: 'The conversion took more CPU time than a mapping may use.',
    cure: 'Simplify the expressions, especially those that search the whole slip repeatedly.',
  },
  too_large: {
    cause: 'The decoded data, or the result of the mapping, exceeds its size limit.',
    cure: 'Change the mapping so that it selects only what the receipt needs.',
  },
  invalid_receipt: {
    cause: 'The mapping produced a receipt that `POST /receipts` would reject.',
    cure: '`errors` lists the faults with their paths. Correct the mapping, and reprocess the packet.',
  },
  duplicate_transaction_id: {
    cause:
      'A receipt with the same `transaction_id` already exists, usually because the till sent the slip twice.',
    cure: 'If it is the same sale, you do not need to do anything. To keep a copy, send the slip with the metadata `duplicate`.',
  },
  crashed: {
    cause:
      'The process that converts packets ended several times while it converted this packet, usually for lack of memory.',
    cure: 'Simplify the mapping, and reprocess the packet. Report it to the operator if it happens again.',
  },
};
