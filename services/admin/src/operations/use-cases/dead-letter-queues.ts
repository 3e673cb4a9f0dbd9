import { queueNotFound } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import type { Operations } from '../open-operations';

/**
 * The queues that have a dead-letter queue: all of them, or the named one.
 * @throws ServiceError 404 if there is no such queue
 */
export async function deadLetterQueues(
  { deadLetters }: Pick<Operations, 'deadLetters'>,
  named?: string,
): Promise<readonly string[]> {
  const names = await deadLetters.queues();
  if (named === undefined) return names;
  if (!names.includes(named)) throw new ServiceError(queueNotFound);
  return [named];
}
