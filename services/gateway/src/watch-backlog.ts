import { commandQueue, type Broker } from '@receipts/messaging';
import type { Backlog } from './http/upstream';
import type { Contracts } from './http/routes';
import { PeriodicTask } from '@receipts/concurrency';
import { type Log } from '@receipts/kernel';

/** A poll opens its own connection, and a backlog takes longer than this to become a problem. */
const everyMsDefault = 5_000;

/** The owners of commands that the gateway confirms before they are executed. */
export function confirmingOwners(contracts: readonly Contracts[]): string[] {
  const confirming = contracts.flatMap((each) => Object.values(each)).filter((each) => 'confirmed' in each);
  return [...new Set(confirming.map(({ owner }) => owner))];
}

/** The services that continue the work of an owner's confirmed commands. Any of their queues may be the longest. */
const continuedBy: Readonly<Record<string, readonly string[]>> = { ingest: ['transform', 'receipt-store'] };

export interface WatchBacklog {
  readonly backlog: Pick<Backlog, 'note'>;
  readonly broker: Pick<Broker, 'depth'>;
  readonly owners: readonly string[];
  readonly log: Log;
  readonly everyMs?: number | undefined;
}

/**
 * Polls the backlog of the queues that confirmed commands pass through, in the background, so that requests need not wait
 * for it.
 */
export function watchBacklog(options: WatchBacklog): PeriodicTask {
  const { backlog, broker, owners, log, everyMs = everyMsDefault } = options;
  const chains = owners.map((owner) => ({
    owner,
    queues: [owner, ...(continuedBy[owner] ?? [])].map(commandQueue),
  }));
  return new PeriodicTask({
    everyMs,
    log,
    failure: 'the backlog of the queues could not be read',
    async run() {
      const depths = await broker.depth(chains.flatMap(({ queues }) => queues));
      for (const { owner, queues } of chains) {
        const own = depths.filter(({ queue }) => queues.includes(queue));
        backlog.note(
          owner,
          own.reduce((sum, { messages }) => sum + messages, 0),
        );
      }
    },
  });
}
