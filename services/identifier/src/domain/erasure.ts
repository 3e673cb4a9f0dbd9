import { createHash } from 'node:crypto';

/** The hash of an erased identifier: it can be recognised by those who know the identifier, but not reversed. */
export function hashOf(identifier: string): string {
  return createHash('sha256').update(identifier).digest('hex');
}

/** The owner of a reward after its consumer was erased. It differs for each reward, so that they cannot be linked. */
export const nobodyOf = (rewardId: string): string => `erased-${rewardId}`;
