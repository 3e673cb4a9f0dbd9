import { ServiceError } from '@receipts/kernel';
import { rateLimited } from '../errors';
import type { Exchange } from './exchange';
import { Places } from './places';

/** The owner is asked again after this long, and less often when many wait: all of them together ask at most this often. */
const againMinMs = 250;
const asksPerSecondMax = 200;
const waitingPerCallerMax = 50;
const waitingMax = 1_000;

/** The requests that are left open until there is something to tell (see `Poll` of the kernel). */
export class WaitingPolls {
  private readonly waiting = new Places();

  constructor(private readonly isDraining: () => boolean) {}

  /** @throws ServiceError 429 when this caller, or all together, have too many requests open already. */
  enter(caller: string): void {
    if (this.waiting.of(caller) >= waitingPerCallerMax || this.waiting.total >= waitingMax) {
      throw new ServiceError(rateLimited, {
        description: 'too many requests are waiting already',
        headers: { 'retry-after': '1' },
      });
    }
    this.waiting.take(caller);
  }

  leave(caller: string): void {
    this.waiting.free(caller);
  }

  /**
   * Waits for a moment.
   * @returns false when there is no time left, nobody waits any more, or the process stops.
   */
  async pause(exchange: Exchange, untilMs: number): Promise<boolean> {
    const left = untilMs - performance.now();
    if (left <= 0 || exchange.res.destroyed || this.isDraining()) return false;
    const pauseMs = Math.min(left, Math.max(againMinMs, (this.waiting.total / asksPerSecondMax) * 1000));
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        exchange.res.off('close', done);
        resolve();
      };
      const timer = setTimeout(done, pauseMs);
      exchange.res.once('close', done);
    });
    return !exchange.res.destroyed;
  }
}
