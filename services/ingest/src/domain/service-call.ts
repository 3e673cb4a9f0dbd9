import { ownCall, type Call } from '@receipts/kernel';

/** What a message of our own needs to know about what caused it. */
export interface Cause {
  readonly requestId: string;
  readonly causationId: string;
  readonly retailer: string;
  readonly traceparent?: string | undefined;
}

/** The context of a message that this service sends on its own account. */
export function serviceCall(cause: Cause, now: Date, patienceMs: number): Call {
  return {
    ...ownCall('ingest', now.getTime(), patienceMs, cause.retailer),
    requestId: cause.requestId,
    causationId: cause.causationId,
    ...(cause.traceparent !== undefined && { traceparent: cause.traceparent }),
  };
}
