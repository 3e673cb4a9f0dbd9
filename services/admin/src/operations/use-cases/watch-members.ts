import { PeriodicTask } from '@receipts/concurrency';
import type { Background } from '@receipts/host/open-service';
import type { Operations } from '../open-operations';

const everyMs = 60_000;

/** Checks periodically whether all quorum queues have their members, for the status and the metrics. */
export function watchMembers({
  incompleteQueues,
  lastCheck,
  log,
}: Pick<Operations, 'incompleteQueues' | 'lastCheck' | 'log'>): Background {
  if (!incompleteQueues) return { stop: () => undefined };
  return new PeriodicTask({
    everyMs,
    log,
    failure: 'the members of the queues could not be checked',
    run: async () => {
      lastCheck.incomplete = await incompleteQueues();
    },
  });
}
