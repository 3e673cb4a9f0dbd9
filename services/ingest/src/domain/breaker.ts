interface BreakerLimits {
  /** Failures in a row, of one name, after which it is not tried any more. */
  readonly failuresMax: number;
  /** How long; then one try decides whether it goes on. */
  readonly openMs: number;
  /** Names that are remembered. */
  readonly namesMax: number;
}

interface Standing {
  failures: number;
  /** When the next try may be made. */
  tryAtMs: number;
}

/** Spares those who wait a question that would not be answered. Kept by name: the trouble of one is none of the others'. */
export class Breaker {
  private readonly standings = new Map<string, Standing>();

  constructor(
    private readonly limits: BreakerLimits,
    private readonly nowMs: () => number,
  ) {}

  /** True when it is worth a try. The first that is told so after a pause is the only one until its outcome is known. */
  allows(name: string): boolean {
    const standing = this.standings.get(name);
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
    this.standings.delete(name);
    this.standings.set(name, standing);
    const [oldest] = this.standings.keys();
    if (this.standings.size > this.limits.namesMax && oldest !== undefined) this.standings.delete(oldest);
  }
}
