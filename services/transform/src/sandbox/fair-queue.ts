/**
 * A queue of jobs by retailer. The retailer that has used the least CPU time is next, so that slow packets of one
 * retailer mainly delay its own packets.
 */
export interface Waiting {
  readonly retailer: string;
}

interface Line<J> {
  readonly jobs: J[];
  /** Milliseconds of CPU time used, on the queue's virtual clock. */
  usedMs: number;
  running: number;
  averageMs: number;
}

/** Whether a job may run now, given the average time and the number of running jobs of its retailer. */
type MayRun<J> = (job: J, averageMs: number, running: number) => boolean;

const averageWeight = 0.2;
const startAverageMs = 2;
/** Above this number, idle retailers that have used little are removed. */
const linesMax = 10_000;

export class FairQueue<J extends Waiting> {
  private readonly lines = new Map<string, Line<J>>();
  /** The estimated time that was charged when a job was taken. */
  private readonly charged = new WeakMap<J, number>();
  /** The lowest clock that a returning retailer can have, so that unused time is not saved up. */
  private clockMs = 0;
  private count = 0;

  get length(): number {
    return this.count;
  }

  private lineOf(retailer: string): Line<J> {
    let line = this.lines.get(retailer);
    if (!line) {
      this.forgetIdle();
      line = { jobs: [], usedMs: this.clockMs, running: 0, averageMs: startAverageMs };
      this.lines.set(retailer, line);
    }
    return line;
  }

  private forgetIdle(): void {
    if (this.lines.size < linesMax) return;
    for (const [retailer, line] of this.lines) {
      if (line.jobs.length === 0 && line.running === 0) this.lines.delete(retailer);
    }
  }

  add(job: J): void {
    const line = this.lineOf(job.retailer);
    if (line.jobs.length === 0 && line.running === 0) line.usedMs = Math.max(line.usedMs, this.clockMs);
    line.jobs.push(job);
    this.count++;
  }

  private next(mayRun: MayRun<J>): Line<J> | undefined {
    let best: Line<J> | undefined;
    for (const line of this.lines.values()) {
      const [job] = line.jobs;
      if (job === undefined || (best && line.usedMs >= best.usedMs)) continue;
      if (mayRun(job, line.averageMs, line.running)) best = line;
    }
    return best;
  }

  /** The job that `take` would take. */
  peek(mayRun: MayRun<J>): J | undefined {
    return this.next(mayRun)?.jobs[0];
  }

  /** Takes the next job that may run now, of the retailer that has used the least time. */
  take(mayRun: MayRun<J>): J | undefined {
    const best = this.next(mayRun);
    const job = best?.jobs.shift();
    if (!best || job === undefined) return undefined;
    this.count--;
    this.clockMs = Math.max(this.clockMs, best.usedMs);
    best.running++;
    best.usedMs += best.averageMs;
    this.charged.set(job, best.averageMs);
    return job;
  }

  /** Ends a job that was taken; the time that the job actually used replaces the estimate. */
  finished(job: J, ms: number): void {
    const line = this.lineOf(job.retailer);
    line.running = Math.max(0, line.running - 1);
    line.usedMs += ms - (this.charged.get(job) ?? 0);
    line.averageMs += (ms - line.averageMs) * averageWeight;
  }

  /** Puts a job that was taken back at the head of its retailer's queue. */
  requeue(job: J): void {
    const line = this.lineOf(job.retailer);
    line.running = Math.max(0, line.running - 1);
    line.usedMs -= this.charged.get(job) ?? 0;
    line.jobs.unshift(job);
    this.count++;
  }

  averageMs(retailer: string): number {
    return this.lines.get(retailer)?.averageMs ?? startAverageMs;
  }

  /** The estimated time of this retailer's waiting and running jobs, in milliseconds of one process. */
  backlogMs(retailer: string): number {
    const line = this.lines.get(retailer);
    return line ? (line.jobs.length + line.running) * line.averageMs : 0;
  }

  /** Removes the waiting jobs for which this is true. */
  remove(isUnwanted: (job: J) => boolean): J[] {
    const removed: J[] = [];
    for (const line of this.lines.values()) {
      const kept: J[] = [];
      for (const job of line.jobs.splice(0)) (isUnwanted(job) ? removed : kept).push(job);
      line.jobs.push(...kept);
    }
    this.count -= removed.length;
    return removed;
  }
}
