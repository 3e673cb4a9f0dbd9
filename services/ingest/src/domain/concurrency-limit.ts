interface LimitBounds {
  readonly min: number;
  readonly max: number;
}

/**
 * Limits the concurrent requests to a service: the limit grows while replies arrive in time, and is halved after a late
 * reply. An overloaded service therefore gets no more requests than it can handle in time; the rest stays in the
 * broker's queue.
 */
export class ConcurrencyLimit {
  private size: number;
  private inUse = 0;
  private reducedAtMs = -Infinity;
  private readonly waiting: (() => void)[] = [];

  /** @param reduceEveryMs late replies within this time count as one */
  constructor(
    private readonly bounds: LimitBounds,
    private readonly reduceEveryMs: number,
    private readonly nowMs: () => number,
  ) {
    this.size = bounds.max / 4;
  }

  /** Resolves when a request may be sent. */
  enter(): Promise<void> {
    if (this.inUse < this.size) {
      this.inUse++;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  leave(cameInTime: boolean): void {
    this.inUse--;
    if (cameInTime) this.size = Math.min(this.bounds.max, this.size + 1 / this.size);
    else this.reduce();
    while (this.inUse < this.size) {
      const next = this.waiting.shift();
      if (!next) return;
      this.inUse++;
      next();
    }
  }

  private reduce(): void {
    const now = this.nowMs();
    if (now - this.reducedAtMs < this.reduceEveryMs) return;
    this.reducedAtMs = now;
    this.size = Math.max(this.bounds.min, this.size / 2);
  }
}
