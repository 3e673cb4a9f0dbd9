import type { Call } from '@receipts/kernel';
import type { ParkedSelection, ParkedSelections } from '../storage/parked-selections';
import { parkedQueues, type ParkedDeps } from './parked-queues';

export interface ParkedCommandDeps extends ParkedDeps {
  readonly parkedSelections: ParkedSelections;
  readonly now: () => Date;
}

const lookMax = 10_000;

/**
 * The messages that a call applies to: those of its ids that are parked, or all, at the time of its first execution.
 * @throws ServiceError 404 when there is no such queue
 */
export async function parkedSelection(
  { parked, parkedSelections, now }: ParkedCommandDeps,
  { queue, ids }: { readonly queue: string; readonly ids?: readonly string[] | undefined },
  call: Call,
): Promise<ParkedSelection> {
  await parkedQueues({ parked }, queue);
  return parkedSelections.of(call.id, async () => {
    const wanted = ids && new Set(ids);
    const there = await parked.list(queue, { count: lookMax });
    const selected = there.filter(({ id }) => !wanted || wanted.has(id));
    // The clock of the process that parked them may be ahead.
    const times = selected.map(({ lastFailedAt }) => Date.parse(lastFailedAt ?? '') || 0);
    const at = new Date(times.reduce((latest, time) => Math.max(latest, time), now().getTime()));
    return { ids: selected.map(({ id }) => id), at };
  });
}
