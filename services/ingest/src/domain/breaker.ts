import { LRUCache } from 'lru-cache';

interface BreakerLimits {
  /** The consecutive failures of one name after which it is paused. */
  readonly failuresMax: number;
  /** The length of the pause. One attempt afterwards decides whether it continues. */
  readonly openMs: number;
  /** The maximum of names that are tracked. */
  readonly namesMax: number;
}

interface Standing {
  failures: number;
  /** The time of the next attempt. */
  tryAtMs: number;
}

/** A circuit breaker: avoids requests that would fail. Names are independent of each other. */
export class Breaker {
  private readonly standings: LRUCache<string, Standing>;

  constructor(
    private readonly limits: BreakerLimits,
    private readonly nowMs: () => number,
  ) {
    this.standings = new LRUCache({ max: limits.namesMax });
  }

  /** True if a request may be sent. After a pause only one is allowed until its outcome is known. */
  allows(name: string): boolean {
    const standing = this.standings.peek(name);
    if (!standing || standing.failures < this.limits.failuresMax) return true;
    const now = this.nowMs();
    if (now < standing.tryAtMs) return false;
    standing.tryAtMs = now + this.limits.openMs;
    return true;
  }

  succeeded(name: string): void {
    this.standings.delete(name);
  }

  failed(name: string): void {
    const standing = this.standings.get(name) ?? { failures: 0, tryAtMs: 0 };
    standing.failures++;
    standing.tryAtMs = this.nowMs() + this.limits.openMs;
    this.standings.set(name, standing);
  }
}
