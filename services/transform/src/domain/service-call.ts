import { newId, type Call } from '@receipts/kernel';

/** The context of a message that this service sends because of another. */
export function serviceCall(cause: Call, now: number, patienceMs: number): Call {
  return {
    id: newId(now),
    requestId: cause.requestId,
    retailer: cause.retailer,
    principal: { kind: 'service', id: 'transform' },
    deadline: now + patienceMs,
    causationId: cause.id,
    ...(cause.traceparent !== undefined && { traceparent: cause.traceparent }),
    at: now,
  };
}
