import type { DeadLetter } from '@receipts/messaging';

/** A dead letter as returned to the operator. */
export function deadLetterOf(message: DeadLetter) {
  return {
    id: message.id,
    queue: message.queue,
    type: message.type,
    retailer: message.retailer === '' ? null : message.retailer,
    reason: message.reason,
    attempts: message.attempts,
    first_failed_timestamp: message.firstFailedAt ?? null,
    last_failed_timestamp: message.lastFailedAt ?? null,
    trace_id: message.traceId ?? null,
    request_id: message.requestId ?? null,
  };
}
