import { PeriodicTask } from '@receipts/concurrency';
import type { Operations } from '../open-operations';
import { requestQueues, retryingQueues } from '../queues';

const everyMs = 15_000;

/** Checks the queues periodically, so that the status can show since when messages have been waiting. */
export function watchQueues({
  ages,
  depth,
  now,
  log,
}: Pick<Operations, 'ages' | 'depth' | 'now' | 'log'>): PeriodicTask {
  return new PeriodicTask({
    everyMs,
    log,
    failure: 'the queues could not be checked',
    run: async () => ages.note(await depth([...requestQueues, ...retryingQueues]), now().getTime()),
  });
}
