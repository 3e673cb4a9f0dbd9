interface WindowBounds {
  readonly min: number;
  readonly max: number;
}

/**
 * How much may be asked of a service at once: more while its answers come in time, half as much after one that did not. So a
 * service that is behind has no more in hand than it can answer in time, and the rest waits where it is kept.
 */
export class AdaptiveWindow {
  private size: number;
  private inUse = 0;
  private narrowedAtMs = -Infinity;
  private readonly waiting: (() => void)[] = [];

  /** @param narrowEveryMs answers that are late together count once */
  constructor(
    private readonly bounds: WindowBounds,
    private readonly narrowEveryMs: number,
    private readonly nowMs: () => number,
  ) {
    this.size = bounds.max / 4;
  }

  /** Resolves when there is room. */
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
