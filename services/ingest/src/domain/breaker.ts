import { LRUCache } from 'lru-cache';

interface BreakerLimits {
  /** The number of consecutive failures after which a name is paused. */
  readonly failuresMax: number;
  /** The length of the pause. Then a single attempt decides whether the pause continues. */
  readonly openMs: number;
  /** The maximum number of tracked names. */
  readonly namesMax: number;
}

interface BreakerState {
  failures: number;
  /** The time of the next attempt. */
  tryAtMs: number;
}

/** A circuit breaker: avoids requests that would fail. Names are independent of each other. */
export class Breaker {
  private readonly states: LRUCache<string, BreakerState>;

  constructor(
    private readonly limits: BreakerLimits,
    private readonly nowMs: () => number,
  ) {
    this.states = new LRUCache({ max: limits.namesMax });
  }

  /** True if a request may be sent. Call `attempted` if it is. */
  allows(name: string): boolean {
    const state = this.states.peek(name);
    return !state || state.failures < this.limits.failuresMax || this.nowMs() >= state.tryAtMs;
  }

  /** After a pause, only one request is allowed until its outcome is known. */
  attempted(name: string): void {
    const state = this.states.peek(name);
    if (state) state.tryAtMs = this.nowMs() + this.limits.openMs;
  }

  succeeded(name: string): void {
    this.states.delete(name);
  }

  failed(name: string): void {
    const state = this.states.get(name) ?? { failures: 0, tryAtMs: 0 };
    state.failures++;
    state.tryAtMs = this.nowMs() + this.limits.openMs;
    this.states.set(name, state);
  }
}
