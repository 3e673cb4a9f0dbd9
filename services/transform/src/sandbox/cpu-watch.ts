import type { ProcessUsage } from './process-usage';

export type Verdict =
  | { readonly kill: 'timeout' | 'silent' }
  /** Within its limits; check again after this time. */
  | { readonly lookAgainMs: number };

/** A process that sleeps this long during a job will not continue. */
const silentMsMax = 10_000;
/**
 * Where the system does not report processor time, the wall clock decides, with this factor for other load on the
 * machine.
 */
const wallFactor = 20;
const lookMsMin = 10;
const lookMsMax = 1_000;

/**
 * Decides whether a process exceeds the limit of one job. The limit is processor time, independent of the load of the
 * machine, and higher on a slow processor. A process that has exceeded it, or that sleeps during a job, is to be killed.
 */
export class CpuWatch {
  private lastCpuMs: number;
  private silentSinceMs: number;
  private isLengthened = false;

  /**
   * @param limitMs of processor time
   * @param slowness how many times slower the processor is at present than the one that limits are defined for
   * @param cpuMsBefore the processor time that the process had used when the job began
   */
  constructor(
    private limitMs: number,
    private readonly cpuMsBefore: number,
    private readonly startedAtMs: number,
    private readonly slowness: () => number,
  ) {
    this.lastCpuMs = cpuMsBefore;
    this.silentSinceMs = startedAtMs;
  }

  look(usage: ProcessUsage | undefined, nowMs: number): Verdict {
    if (!usage) return this.lookAtWall(nowMs);
    const { cpuMs, wantsProcessor } = usage;
    const usedMs = cpuMs - this.cpuMsBefore;
    if (usedMs >= this.limitMs) this.lengthen();
    const leftMs = this.limitMs - usedMs;
    if (leftMs <= 0) return { kill: 'timeout' };
    if (wantsProcessor || cpuMs > this.lastCpuMs) this.silentSinceMs = nowMs;
    this.lastCpuMs = Math.max(cpuMs, this.lastCpuMs);
    if (nowMs - this.silentSinceMs >= silentMsMax) return { kill: 'silent' };
    return { lookAgainMs: Math.min(lookMsMax, Math.max(lookMsMin, leftMs)) };
  }

  private lengthen(): void {
    if (this.isLengthened) return;
    this.isLengthened = true;
    this.limitMs *= this.slowness();
  }

  private lookAtWall(nowMs: number): Verdict {
    const leftMs = this.limitMs * wallFactor - (nowMs - this.startedAtMs);
    return leftMs <= 0 ? { kill: 'timeout' } : { lookAgainMs: Math.min(lookMsMax, leftMs) };
  }
}
