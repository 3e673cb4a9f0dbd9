/** Captured here because `process` is removed in the sandboxed process. */
const cpuUsage = process.cpuUsage.bind(process);

/** The CPU time of this process in milliseconds, independent of other load on the machine. */
export function cpuTimeMs(): number {
  const { user, system } = cpuUsage();
  return (user + system) / 1_000;
}

/** The system call takes a microsecond, so it is made only once every few steps. */
const stepsBetweenChecks = 64;

/**
 * Limits the CPU time of some work. Waiting for a processor does not count. When the limit is reached, it is extended
 * once by the ratio of the reference processor's speed to this processor's speed.
 */
export class CpuBudget {
  private steps = 0;
  private endMs: number;
  private isExtended = false;

  constructor(
    private readonly budgetMs: number,
    private readonly slowness: () => number,
    private readonly now: () => number = cpuTimeMs,
  ) {
    this.endMs = now() + budgetMs;
  }

  /** Must be called at each step of the work. */
  isSpent(): boolean {
    if (++this.steps % stepsBetweenChecks !== 0 || this.now() <= this.endMs) return false;
    if (!this.isExtended) {
      this.isExtended = true;
      this.endMs += this.budgetMs * (this.slowness() - 1);
    }
    return this.now() > this.endMs;
  }
}
