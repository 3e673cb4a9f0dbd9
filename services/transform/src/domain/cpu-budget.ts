/** Held here because `process` is taken away from the sandboxed one. */
const cpuUsage = process.cpuUsage.bind(process);

/** Milliseconds of a processor that this process has used, whatever else the machine does meanwhile. */
export function cpuTimeMs(): number {
  const { user, system } = cpuUsage();
  return (user + system) / 1_000;
}

/** Asking the system takes a microsecond, so it is asked at every so many steps. */
const stepsBetweenLooks = 64;

/**
 * Processor time that a piece of work may take. It never runs out because the machine is busy, nor because it is slow: when
 * it has run out, it is lengthened once by what the processor turns out to be slower.
 */
export class CpuBudget {
  private steps = 0;
  private endMs: number;
  private isLengthened = false;

  constructor(
    private readonly budgetMs: number,
    private readonly slowness: () => number,
    private readonly now: () => number = cpuTimeMs,
  ) {
    this.endMs = now() + budgetMs;
  }

  /** To be called at each step of the work. */
  isSpent(): boolean {
    if (++this.steps % stepsBetweenLooks !== 0 || this.now() <= this.endMs) return false;
    if (!this.isLengthened) {
      this.isLengthened = true;
      this.endMs += this.budgetMs * (this.slowness() - 1);
    }
    return this.now() > this.endMs;
  }
}
