import type { ProcessUsage } from './process-usage';

export type Verdict =
  | { readonly kill: 'timeout' | 'silent' }
  /** It is not to be blamed yet; look again after this time. */
  | { readonly lookAgainMs: number };

/** A process that sleeps so long over its work will not wake up. */
const silentMsMax = 10_000;
/** Where the system tells nothing about a process, the clock on the wall decides, and it is generous to a busy machine. */
const wallFactor = 20;
const lookMsMin = 10;
const lookMsMax = 1_000;

/**
 * Judges a process over one piece of work: it may use so much of a processor, however long the machine takes to give it, and
 * more of one that turns out to be slower.
 * Only one that has used more, or that sleeps over its work, is to be killed.
 */
export class CpuWatch {
  private lastCpuMs: number;
  private silentSinceMs: number;
  private isLengthened = false;

  /**
   * @param limitMs of processor time
   * @param slowness how many times slower than the one that limits are meant for the processor is now
   * @param cpuMsBefore what the process had used when it began
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
