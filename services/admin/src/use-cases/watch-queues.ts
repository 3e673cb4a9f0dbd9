import type { Broker, DeadLetters } from '@receipts/messaging';
import type { Log } from '@receipts/kernel';
import type { QueueAges } from '../domain/queue-ages';

const everyMs = 15_000;
/** The names of queues are read from the broker after this many checks: every ten minutes. */
const looksPerNames = 40;

export interface WatchDeps {
  readonly ages: QueueAges;
  readonly deadLetters: DeadLetters;
  readonly depth: Broker['depth'];
  /** Queues that always exist. */
  readonly known: readonly string[];
  readonly now: () => Date;
  readonly log: Log;
}

/** Checks the queues periodically, so that the status can show since when messages have been waiting. */
export function watchQueues({ ages, deadLetters, depth, known, now, log }: WatchDeps): { stop(): void } {
  let looks = 0;
  let safe: readonly string[] = [];
  const look = async () => {
    if (looks++ % looksPerNames === 0) safe = await deadLetters.queues();
    ages.note(await depth([...known, ...safe]), now().getTime());
  };
  const timer = setInterval(() => {
    look().catch((error: unknown) => log.warn('the queues could not be read', { error }));
  }, everyMs).unref();
  return { stop: () => clearInterval(timer) };
}
