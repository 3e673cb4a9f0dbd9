import { backoffMs } from '@receipts/concurrency';

const retryPauseMinMs = 3_000;
const retryPauseMaxMs = 60_000;

/**
 * The pause after a failed attempt: doubled with each failure, up to a minute. @param attempts including the failed one
 */
export function retryPauseMs(attempts: number): number {
  return backoffMs(attempts - 1, retryPauseMinMs, retryPauseMaxMs);
}

/**
 * The owner of a reward after its consumer was erased. The owner differs for each reward, so that rewards cannot be
 * linked.
 */
export const erasedOwnerOf = (rewardId: string): string => `erased-${rewardId}`;
