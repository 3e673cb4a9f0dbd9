import { backoffMs } from '@receipts/concurrency';

const waitMsMax = 3_600_000;

/**
 * The time at which conversion of a packet is requested again if no outcome has arrived. The wait doubles each time, up
 * to an hour, so that an overloaded transform service is not overloaded further.
 */
export function nextRetryAt(now: Date, retries: number, firstWaitMs: number): Date {
  return new Date(now.getTime() + backoffMs(retries, firstWaitMs, waitMsMax));
}
