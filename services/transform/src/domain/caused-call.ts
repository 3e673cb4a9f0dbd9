import { delegatedCall, type Call } from '@receipts/kernel';

/**
 * The context of a message that this service sends because of another message, with its own deadline. The restriction
 * of the posting credential to consumers is passed on.
 */
export function causedCall(cause: Call, now: number, timeoutMs: number): Call {
  return {
    ...delegatedCall('transform', cause, now),
    deadline: now + timeoutMs,
    ...(cause.consumers && { consumers: cause.consumers }),
  };
}
