import { newId, type Call } from '@receipts/kernel';

const service = { kind: 'service', id: 'receipt-store' } as const;

/** The call with which this service asks another one on behalf of a caller: same retailer, trace and deadline. */
export function innerCall(call: Call, now: number): Call {
  return {
    id: newId(now),
    requestId: call.requestId,
    retailer: call.retailer,
    principal: service,
    deadline: call.deadline,
    causationId: call.id,
    ...(call.traceparent !== undefined && { traceparent: call.traceparent }),
    at: now,
  };
}

/** A call on this service's own account, which concerns no single retailer. */
export function ownCall(now: number, timeoutMs: number): Call {
  const id = newId(now);
  return { id, requestId: id, retailer: '', principal: service, deadline: now + timeoutMs, at: now };
}
