import { within } from '@receipts/concurrency';
import type { Log } from '@receipts/kernel';

export interface StopStep {
  readonly name: string;
  /** The next step starts after this time at the latest. */
  readonly timeoutMs: number;
  readonly stop: () => unknown;
}

/**
 * Stops the parts of a service in order, each with a timeout. A part that fails or times out is logged and does not
 * prevent the later parts from stopping.
 */
export async function stopInOrder(log: Log, steps: readonly StopStep[]): Promise<void> {
  for (const { name, timeoutMs, stop } of steps) {
    try {
      await within(timeoutMs, name, Promise.resolve(stop()));
    } catch (error) {
      log.error('a part did not stop cleanly', { step: name, error });
    }
  }
}
