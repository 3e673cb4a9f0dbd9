const windowMs = 30_000;
/** Retailers with fewer packets are never considered to exceed their share. */
const packetsMin = 100;

class Window {
  private readonly counts = new Map<string, number>();
  total = 0;

  get retailers(): number {
    return this.counts.size;
  }

  add(retailer: string): void {
    this.counts.set(retailer, this.of(retailer) + 1);
    this.total++;
  }

  of(retailer: string): number {
    return this.counts.get(retailer) ?? 0;
  }
}

/** Counts packets by retailer over the last 30 to 60 seconds. */
export class RetailerShares {
  private before = new Window();
  private latest = new Window();
  private rotatedAtMs: number;

  constructor(private readonly clockMs: () => number) {
    this.rotatedAtMs = clockMs();
  }

  count(retailer: string): void {
    this.turn();
    this.latest.add(retailer);
  }

  /** True for a retailer that sends more than its share while others also send packets. */
  exceedsShare(retailer: string): boolean {
    this.turn();
    const { before, latest } = this;
    const retailers = Math.max(before.retailers, latest.retailers);
    const own = before.of(retailer) + latest.of(retailer);
    return retailers > 1 && own >= packetsMin && own > (before.total + latest.total) / retailers;
  }

  private turn(): void {
    const sinceMs = this.clockMs() - this.rotatedAtMs;
    if (sinceMs < windowMs) return;
    this.before = sinceMs < 2 * windowMs ? this.latest : new Window();
    this.latest = new Window();
    this.rotatedAtMs += sinceMs;
  }
}
