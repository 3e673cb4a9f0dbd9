const firstMs = 250;
const lastMs = 30_000;

/** Random delays between attempts: at least half of a maximum, which doubles with each attempt. */
export class BackOff {
  private attempts = 0;

  constructor(private readonly random: () => number = Math.random) {}

  /** @param atLeastMs the delay that the platform requested */
  nextMs(atLeastMs = 0): number {
    const ms = Math.min(firstMs * 2 ** Math.min(this.attempts++, 20), lastMs);
    return Math.max(atLeastMs, ms * (0.5 + this.random() / 2));
  }

  reset(): void {
    this.attempts = 0;
  }
}
