import { retrySoon } from '@receipts/kernel';
import { rateLimited } from '../errors';
import type { RequestContext } from './request-context';
import { KeyedCounts } from './keyed-counts';

/**
 * The minimum time between two queries to the owner. It grows with the number of open polls, so that the total rate is
 * bounded.
 */
const againMinMs = 250;
const asksPerSecondMax = 200;
const waitingPerCallerMax = 50;
const waitingMax = 1_000;

/** The requests that are held open until the owner has data (long polling; see `Poll` of the kernel). */
export class WaitingPolls {
  private readonly waiting = new KeyedCounts();

  constructor(private readonly isDraining: () => boolean) {}

  /** @throws ServiceError 429 when this caller, or all callers together, have too many polls open. */
  enter(caller: string): void {
    if (this.waiting.of(caller) >= waitingPerCallerMax || this.waiting.total >= waitingMax) {
      throw retrySoon(rateLimited, { description: 'too many requests are already waiting' });
    }
    this.waiting.add(caller);
  }

  leave(caller: string): void {
    this.waiting.remove(caller);
  }

  /**
   * Waits until the owner may be queried again.
   * @returns false when the time is up, the caller has disconnected, or the process stops.
   */
  async pause(context: RequestContext, untilMs: number): Promise<boolean> {
    const left = untilMs - performance.now();
    if (left <= 0 || context.res.destroyed || this.isDraining()) return false;
    const pauseMs = Math.min(left, Math.max(againMinMs, (this.waiting.total / asksPerSecondMax) * 1000));
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        context.res.off('close', done);
        resolve();
      };
      const timer = setTimeout(done, pauseMs);
      context.res.once('close', done);
    });
    return !context.res.destroyed;
  }
}
