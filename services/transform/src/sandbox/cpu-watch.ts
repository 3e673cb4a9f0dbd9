import type { ProcessUsage } from './process-usage';

export type Verdict =
  | { readonly kill: 'timeout' | 'stalled' }
  /** The process is within its limits; check again after this time. */
  | { readonly checkAfterMs: number };

/** A process that sleeps this long during a job will not continue. */
const stalledMsMax = 10_000;
/** If the system does not report CPU time, the wall clock is used, with this factor for other load on the machine. */
const wallFactor = 20;
const checkMsMin = 10;
const checkMsMax = 1_000;

/**
 * Decides whether a process exceeds the limit of one job. The limit is CPU time, independent of the machine's load, and
 * higher on a slow processor. A process that has exceeded the limit, or that sleeps during a job, must be killed.
 */
export class CpuWatch {
  private lastCpuMs: number;
  private stalledSinceMs: number;
  private isExtended = false;

  /**
   * @param limitMs CPU time limit
   * @param slowness how many times slower the CPU currently is than the reference CPU
   * @param cpuMsBefore CPU time that the process had used before the job began
   */
  constructor(
    private limitMs: number,
    private readonly cpuMsBefore: number,
    private readonly startedAtMs: number,
    private readonly slowness: () => number,
  ) {
    this.lastCpuMs = cpuMsBefore;
    this.stalledSinceMs = startedAtMs;
  }

  check(usage: ProcessUsage | undefined, nowMs: number): Verdict {
    if (!usage) return this.checkWallClock(nowMs);
    const { cpuMs, isRunnable } = usage;
    const usedMs = cpuMs - this.cpuMsBefore;
    if (usedMs >= this.limitMs) this.extend();
    const leftMs = this.limitMs - usedMs;
    if (leftMs <= 0) return { kill: 'timeout' };
    if (isRunnable || cpuMs > this.lastCpuMs) this.stalledSinceMs = nowMs;
    this.lastCpuMs = Math.max(cpuMs, this.lastCpuMs);
    if (nowMs - this.stalledSinceMs >= stalledMsMax) return { kill: 'stalled' };
    return { checkAfterMs: Math.min(checkMsMax, Math.max(checkMsMin, leftMs)) };
  }

  private extend(): void {
    if (this.isExtended) return;
    this.isExtended = true;
    this.limitMs *= this.slowness();
  }

  private checkWallClock(nowMs: number): Verdict {
    const leftMs = this.limitMs * wallFactor - (nowMs - this.startedAtMs);
    return leftMs <= 0 ? { kill: 'timeout' } : { checkAfterMs: Math.min(checkMsMax, leftMs) };
  }
}
