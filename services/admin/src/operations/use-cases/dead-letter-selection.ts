import type { Call } from '@receipts/kernel';
import type { Operations } from '../open-operations';
import { checkQueue } from '../queues';
import type { DeadLetterSelection } from '../storage/dead-letter-selections';

/**
 * The messages that a call applies to: the queue's dead letters when the call was first executed, restricted to the
 * given ids if there are any.
 * @throws ServiceError 404 if there is no such queue
 */
export async function deadLetterSelection(
  { deadLetters, deadLetterSelections, now }: Operations,
  { queue, ids }: { readonly queue: string; readonly ids?: readonly string[] | undefined },
  call: Call,
): Promise<DeadLetterSelection> {
  checkQueue(queue);
  return deadLetterSelections.of(call.id, async () => {
    const wanted = ids && new Set(ids);
    const there = await deadLetters.list(queue);
    const selected = there.filter(({ id }) => !wanted || wanted.has(id));
    // The clock of the process that dead-lettered the messages may be ahead.
    const times = selected.map(({ lastFailedAt }) => Date.parse(lastFailedAt ?? '') || 0);
    const at = new Date(times.reduce((latest, time) => Math.max(latest, time), now().getTime()));
    return { ids: selected.map(({ id }) => id), at };
  });
}
