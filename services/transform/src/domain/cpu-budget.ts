/** Held here because `process` is taken away from the sandboxed one. */
const cpuUsage = process.cpuUsage.bind(process);

/** Milliseconds of a processor that this process has used, whatever else the machine does meanwhile. */
export function cpuTimeMs(): number {
  const { user, system } = cpuUsage();
  return (user + system) / 1_000;
}

/** Asking the system takes a microsecond, so it is asked at every so many steps. */
const stepsBetweenLooks = 64;

/** Processor time that a piece of work may take. It never runs out because the machine is busy. */
export class CpuBudget {
  private steps = 0;
  private readonly endMs: number;

  constructor(
    budgetMs: number,
    private readonly now: () => number = cpuTimeMs,
  ) {
    this.endMs = now() + budgetMs;
  }

  /** To be called at each step of the work. */
  isSpent(): boolean {
    return ++this.steps % stepsBetweenLooks === 0 && this.now() > this.endMs;
  }
}
