import { ServiceError, unavailable } from '@receipts/kernel';

/** Fewer open requests are a batch or two of an owner, and a slow batch is not a queue. */
const openMin = 64;
const windowMs = 500;
/** By how much the limit grows in a window without a delay. */
const increase = 1.25;

/**
 * Notices that requests of one kind queue for their owner: in half a second not even the fastest of them was answered
 * within the maximum. More would make all of them wait, until callers give up and repeat what is still being worked on.
 * Therefore only as many may be open as are answered within the maximum at the present rate (Little's law), and slowly
 * more again when the delay is gone. For the measure see Nichols and Jacobson, "Controlling Queue Delay", ACM Queue 10(5),
 * 2012.
 */
export class LatencyLimiter {
  private open = 0;
  /** How many may be open. */
  private limit = Infinity;
  private windowFrom = 0;
  private fastestMs = Infinity;
  private answered = 0;

  /** @param latencyMsMax 0 turns it off @param now milliseconds of a monotonic clock */
  constructor(
    private readonly latencyMsMax: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @throws ServiceError 503 `unavailable` */
  check(): void {
    if (this.open < this.limit) return;
    throw new ServiceError(unavailable, {
      internal: `${this.open} requests wait, each for more than ${this.latencyMsMax} ms`,
    });
  }

  /** Measures how long the owner takes, whatever the outcome. */
  async measure<T>(work: Promise<T>): Promise<T> {
    const began = this.now();
    this.open++;
    try {
      return await work;
    } finally {
      this.open--;
      this.note(began);
    }
  }

  private note(began: number): void {
    const now = this.now();
    if (now - this.windowFrom >= windowMs) {
      this.adjust(this.answered / (now - this.windowFrom));
      this.windowFrom = now;
      this.fastestMs = Infinity;
      this.answered = 0;
    }
    this.answered++;
    this.fastestMs = Math.min(this.fastestMs, now - began);
    if (this.open > 0) return;
    this.limit = Infinity;
    this.fastestMs = Infinity;
  }

  private adjust(answeredPerMs: number): void {
    if (this.latencyMsMax === 0 || this.fastestMs === Infinity) return;
    this.limit =
      this.fastestMs > this.latencyMsMax
        ? Math.max(openMin, answeredPerMs * this.latencyMsMax)
        : this.limit * increase;
  }
}
