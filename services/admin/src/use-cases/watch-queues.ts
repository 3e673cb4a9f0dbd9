import type { Broker, Parked } from '@receipts/messaging';
import type { Log } from '@receipts/storage';
import type { QueueAges } from '../domain/queue-ages';

const everyMs = 15_000;
/** The names of the queues are read from the broker anew after so many looks: every ten minutes. */
const looksPerNames = 40;

export interface WatchDeps {
  readonly ages: QueueAges;
  readonly parked: Parked;
  readonly depth: Broker['depth'];
  /** Queues that are there in any case. */
  readonly known: readonly string[];
  readonly now: () => Date;
  readonly log: Log;
}

/** Looks at the queues now and then, so that the status can tell since when something waits. */
export function watchQueues({ ages, parked, depth, known, now, log }: WatchDeps): { stop(): void } {
  let looks = 0;
  let safe: readonly string[] = [];
  const look = async () => {
    if (looks++ % looksPerNames === 0) safe = await parked.queues();
    ages.note(await depth([...known, ...safe]), now().getTime());
  };
  const timer = setInterval(() => {
    look().catch((error: unknown) => log.warn('the queues could not be looked at', { error }));
  }, everyMs).unref();
  return { stop: () => clearInterval(timer) };
}
