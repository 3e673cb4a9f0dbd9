import { createHash } from 'node:crypto';

/** What stands for an identifier that was erased: who knows the identifier recognises it, nobody reads it back. */
export function hashOf(identifier: string): string {
  return createHash('sha256').update(identifier).digest('hex');
}

/** Whose a reward is once its consumer was erased. Each is somebody else's, so that they say nothing of one another. */
export const nobodyOf = (rewardId: string): string => `erased-${rewardId}`;
