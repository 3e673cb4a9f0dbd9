import type { Operations } from '../open-operations';
import { requestQueues } from './get-status';

const everyMs = 15_000;
/** The names of queues are read from the broker after this many checks: every ten minutes. */
const pollsPerRefresh = 40;

/** Checks the queues periodically, so that the status can show since when messages have been waiting. */
export function watchQueues({
  ages,
  deadLetters,
  depth,
  now,
  log,
}: Pick<Operations, 'ages' | 'deadLetters' | 'depth' | 'now' | 'log'>): { stop(): void } {
  let polls = 0;
  let retryingQueues: readonly string[] = [];
  const poll = async () => {
    if (polls++ % pollsPerRefresh === 0) retryingQueues = await deadLetters.queues();
    ages.note(await depth([...requestQueues, ...retryingQueues]), now().getTime());
  };
  const timer = setInterval(() => {
    poll().catch((error: unknown) => log.warn('the queues could not be checked', { error }));
  }, everyMs).unref();
  return { stop: () => clearInterval(timer) };
}
