import { newId, type Call } from '@receipts/kernel';

/** What a message of our own needs to know about what caused it. */
export interface Cause {
  readonly requestId: string;
  readonly causationId: string;
  readonly retailer: string;
  readonly traceparent?: string | undefined;
}

/** The context of a message that this service sends on its own account. */
export function serviceCall(cause: Cause, now: Date, patienceMs: number): Call {
  const at = now.getTime();
  return {
    id: newId(at),
    requestId: cause.requestId,
    retailer: cause.retailer,
    principal: { kind: 'service', id: 'ingest' },
    deadline: at + patienceMs,
    causationId: cause.causationId,
    ...(cause.traceparent !== undefined && { traceparent: cause.traceparent }),
    at,
  };
}
