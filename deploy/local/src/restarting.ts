import { pause } from '@receipts/concurrency';

/** The first restart is immediate, because other processes wait for the process that ended. */
const delaysMs = [0, 1_000, 2_000, 5_000] as const;

export interface Restarted {
  readonly name: string;
  /** Its error names the process. */
  readonly start: () => Promise<void>;
  /** True if it should no longer be restarted. */
  readonly isOver: () => boolean;
  readonly say: (line: string) => void;
}

/**
 * Restarts a process that ended unexpectedly, with increasing delays, until it runs or is no longer needed. Reports
 * each attempt.
 */
export async function startAgain({ name, start, isOver, say }: Restarted, reason: string): Promise<void> {
  say(`${name} ended unexpectedly (${reason}) and is being restarted`);
  for (let tries = 0; !isOver(); tries++) {
    await pause(delaysMs[Math.min(tries, delaysMs.length - 1)] ?? 0);
    if (isOver()) return;
    try {
      await start();
      say(`${name} is running again`);
      return;
    } catch (error) {
      say((error as Error).message.split('\n', 1)[0] ?? '');
    }
  }
}
