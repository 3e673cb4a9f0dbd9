interface WindowBounds {
  readonly min: number;
  readonly max: number;
}

/**
 * Limits the concurrent requests to a service: the limit grows while answers arrive in time, and is halved after a late
 * one. An overloaded service therefore gets no more requests than it can answer in time; the rest stays in the broker's
 * queue.
 */
export class AdaptiveWindow {
  private size: number;
  private inUse = 0;
  private narrowedAtMs = -Infinity;
  private readonly waiting: (() => void)[] = [];

  /** @param narrowEveryMs answers that are late within this time count once */
  constructor(
    private readonly bounds: WindowBounds,
    private readonly narrowEveryMs: number,
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
    else this.narrow();
    while (this.inUse < this.size) {
      const next = this.waiting.shift();
      if (!next) return;
      this.inUse++;
      next();
    }
  }

  private narrow(): void {
    const now = this.nowMs();
    if (now - this.narrowedAtMs < this.narrowEveryMs) return;
    this.narrowedAtMs = now;
    this.size = Math.max(this.bounds.min, this.size / 2);
  }
}
