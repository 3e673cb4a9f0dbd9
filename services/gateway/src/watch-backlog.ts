import { packetPath } from '@receipts/contracts';
import { commandQueue, type Broker } from '@receipts/messaging';
import type { Backlog } from './http/upstream';
import { PeriodicTask } from '@receipts/concurrency';
import { type Log } from '@receipts/kernel';

/** A poll opens its own connection, and a backlog takes longer than this to become a problem. */
const everyMsDefault = 5_000;
/** Any of them may be the longest. */
const queues = packetPath.map(commandQueue);

export interface WatchBacklog {
  readonly backlog: Pick<Backlog, 'note'>;
  readonly broker: Pick<Broker, 'depth'>;
  readonly log: Log;
  readonly everyMs?: number | undefined;
}

/** Polls the lengths of the queues that packets pass through, in the background, so that requests need not wait for it. */
export function watchBacklog(options: WatchBacklog): PeriodicTask {
  const { backlog, broker, log, everyMs = everyMsDefault } = options;
  return new PeriodicTask({
    everyMs,
    log,
    failure: 'the backlog of the queues could not be read',
    async run() {
      const depths = await broker.depth(queues);
      backlog.note(depths.reduce((sum, { messages }) => sum + messages, 0));
    },
  });
}
