import { limitsOf, type FailureReason } from '@receipts/contracts';
import { oncePerTurn } from '@receipts/concurrency';
import { ServiceError, unavailable } from '@receipts/kernel';
import { faultOf } from '../domain/faults/conversion-fault';
import type { MappingRules, RawPacket } from '../domain/run-mapping';
import { anyKind, kindOf, sameKind, type ChildKind } from './child-kind';
import { FairQueue } from './fair-queue';
import type { JobResult } from './messages';
import { Worker, type Loss, type WorkerJob } from './worker';

interface SandboxJob {
  readonly retailer: string;
  /** The key of the rules: the same key always means the same rules. */
  readonly mapping: string;
  readonly rules: MappingRules;
  /** If absent, only checks whether the mapping compiles. */
  readonly packet?: RawPacket;
  readonly includeDecoded?: boolean;
  /** Epoch milliseconds after which nobody waits for the outcome; a job that has not started by then is dropped. */
  readonly deadline?: number;
}

type SandboxOutcome = Omit<JobResult, 'id' | 'ms'>;

export interface SandboxOptions {
  readonly processesMax: number;
  readonly onKilled?: (loss: Loss) => void;
}

/** Rejects waiting jobs when the service stops; the broker redelivers their messages to another process. */
export class SandboxStopped extends Error {
  constructor() {
    super('the sandbox has stopped');
    this.name = 'SandboxStopped';
  }
}

/** Rejects a job that could not start before its deadline. */
function notStarted(): ServiceError {
  return new ServiceError(unavailable, { internal: 'the conversion could not start before its deadline' });
}

interface Job extends WorkerJob {
  readonly retailer: string;
  readonly kind: ChildKind;
  readonly queuedAtMs: number;
  /** Epoch milliseconds. */
  readonly deadline: number;
  readonly settle: (outcome: SandboxOutcome) => void;
  readonly fail: (error: Error) => void;
  crashes: number;
  /** Set if the job runs alone, because its batch killed the process. */
  alone: boolean;
}

/** The maximum number of jobs in one batch. */
const batchJobsMax = 64;
const batchBytesMax = 1024 * 1024;
/**
 * Retailers whose jobs take longer on average are slow: their jobs run one at a time, and never in all processes at
 * once.
 */
export const slowJobMs = 25;
const crashAttemptsMax = 3;
/** The memory of a process in addition to its heap limit. A process that uses more is replaced. */
const memoryBesideHeapMb = 160;
const idleProcessMs = 30_000;
/**
 * A job whose kind of process does not exist waits this long at most for a process to become free, so that a backlog of
 * one kind does not keep all processes. A shorter time would replace processes, at some 200 ms of CPU time each, whenever
 * two kinds of packets alternate.
 */
const otherKindWaitMs = 250;
/** The pause after a process that ended before it was ready. */
const failedStartPauseMs = 1_000;

function failed(reason: FailureReason, message: string): SandboxOutcome {
  return { failure: { reason, faults: [faultOf('', reason, message)] } };
}

/** A pool of sandboxed processes that are started on demand. */
export class Sandbox {
  private readonly queue = new FairQueue<Job>();
  private readonly workers = new Set<Worker<Job>>();
  private nextId = 1;
  private stopped = false;
  /** Jobs that are added within one turn of the event loop are sent together. */
  private readonly pumpSoon = oncePerTurn(() => this.pump());
  /** Set during the pause after a failed start. */
  private pause: NodeJS.Timeout | undefined;
  private canStart = true;
  /** Runs from the first process on. */
  private reaper: NodeJS.Timeout | undefined;

  constructor(private readonly options: SandboxOptions) {}

  get facts() {
    return { processes: this.workers.size, waiting: this.queue.length, canStart: this.canStart };
  }

  /** The estimated CPU time of this retailer's jobs, in milliseconds across all processes. */
  backlogMs(retailer: string): number {
    return this.queue.backlogMs(retailer) / this.options.processesMax;
  }

  averageMs(retailer: string): number {
    return this.queue.averageMs(retailer);
  }

  /** @throws ServiceError 503 `unavailable` if the job could not start before its deadline */
  run(options: SandboxJob): Promise<SandboxOutcome> {
    const { retailer, mapping, rules, packet, includeDecoded, deadline = Infinity } = options;
    return new Promise((settle, fail) => {
      if (this.stopped) return fail(new SandboxStopped());
      this.queue.add({
        id: this.nextId++,
        retailer,
        mapping,
        rules,
        kind: packet ? kindOf(rules) : anyKind,
        queuedAtMs: performance.now(),
        deadline,
        timeoutMs: limitsOf(rules).timeout_ms,
        message: { ...(packet && { packet }), ...(includeDecoded && { includeDecoded }) },
        settle,
        fail,
        crashes: 0,
        alone: false,
      });
      this.pumpSoon();
    });
  }

  private pump(): void {
    this.dropExpired();
    for (const worker of Array.from(this.workers)) {
      if (!worker.isFree || this.isNeededElsewhere(worker)) continue;
      const batch = this.takeBatch(worker.kind);
      if (batch.length > 0) worker.start(batch);
    }
    this.makeRoom();
  }

  /** Checked when a process becomes free, that is, whenever a job could start. */
  private dropExpired(): void {
    const now = Date.now();
    for (const job of this.queue.remove(({ deadline }) => deadline <= now)) job.fail(notStarted());
  }

  /** Whether a free process must make room for the next job, which has waited too long for a process of its kind. */
  private isNeededElsewhere(worker: Worker<Job>): boolean {
    if (this.pause || this.workers.size < this.options.processesMax) return false;
    const next = this.queue.peek((_job, averageMs, running) => !this.isHeld(averageMs, running));
    if (!next || sameKind(next.kind, worker.kind)) return false;
    if ([...this.workers].some(({ kind }) => sameKind(kind, next.kind))) return false;
    return performance.now() - next.queuedAtMs >= otherKindWaitMs;
  }

  /** Slow jobs of one retailer never occupy all processes. */
  private isHeld(averageMs: number, running: number): boolean {
    return averageMs > slowJobMs && running >= Math.max(1, this.options.processesMax - 1);
  }

  private mayRun(kind: ChildKind, started: readonly Job[]) {
    const bytes = started.reduce((sum, job) => sum + (job.message.packet?.bytes.length ?? 0), 0);
    return (job: Job, averageMs: number, running: number): boolean => {
      if (!sameKind(job.kind, kind)) return false;
      const isSlow = averageMs > slowJobMs;
      if (this.isHeld(averageMs, running)) return false;
      if (started.length === 0) return true;
      return !isSlow && !job.alone && bytes + (job.message.packet?.bytes.length ?? 0) <= batchBytesMax;
    };
  }

  private takeBatch(kind: ChildKind): Job[] {
    const batch: Job[] = [];
    while (batch.length < batchJobsMax) {
      const job = this.queue.take(this.mayRun(kind, batch));
      if (!job) break;
      batch.push(job);
      if (job.alone || this.queue.averageMs(job.retailer) > slowJobMs) break;
    }
    return batch;
  }

  /** Starts a process for waiting jobs: an additional process, or one of the right kind in place of an idle process. */
  private makeRoom(): void {
    if (this.queue.length === 0 || this.pause) return;
    const kind = this.neededKind();
    if (!kind) return;
    if (this.workers.size >= this.options.processesMax) {
      const idle = [...this.workers].find((worker) => worker.isFree);
      if (!idle) return;
      this.workers.delete(idle);
      idle.retire();
    }
    this.launchWorker(kind);
  }

  private neededKind(): ChildKind | undefined {
    const starting = [...this.workers].filter((worker) => worker.isStarting);
    return this.queue.peek(
      (job, averageMs, running) =>
        !this.isHeld(averageMs, running) && !starting.some(({ kind }) => sameKind(kind, job.kind)),
    )?.kind;
  }

  private launchWorker(kind: ChildKind): void {
    this.reaper ??= setInterval(() => this.retireIdle(), idleProcessMs / 3).unref();
    const worker: Worker<Job> = new Worker<Job>(kind, {
      onResult: (job, result) => this.onResult(job, result),
      onLost: (jobs, loss) => {
        this.workers.delete(worker);
        if (worker.hasStarted) this.onLost(jobs, loss);
        else this.pauseStarts();
      },
      onReturned: (jobs) => this.requeue(jobs),
      onIdle: () => {
        if (worker.memoryMb > kind.memoryMb + memoryBesideHeapMb) {
          this.workers.delete(worker);
          worker.retire();
        }
        this.pump();
      },
    });
    this.workers.add(worker);
  }

  private pauseStarts(): void {
    this.options.onKilled?.('crashed');
    this.canStart = false;
    clearTimeout(this.pause);
    this.pause = setTimeout(() => {
      this.pause = undefined;
      this.pump();
    }, failedStartPauseMs).unref();
  }

  private onResult(job: Job, { id: _id, ms, ...outcome }: JobResult): void {
    this.canStart = true;
    this.queue.finished(job, ms);
    job.settle(outcome);
  }

  /** Only a job that ran alone is known to have caused the crash. Other jobs are retried, each alone. */
  private onLost(jobs: readonly Job[], loss: Loss): void {
    if (jobs.length > 0) this.options.onKilled?.(loss);
    const [culprit] = jobs.length === 1 ? jobs : [];
    if (culprit) this.onCulprit(culprit, loss);
    else {
      for (const job of jobs) job.alone = true;
      this.requeue(jobs);
    }
    if (!this.stopped) this.pumpSoon();
  }

  /** Returns jobs to the head of their retailers' queues, in order. */
  private requeue(jobs: readonly Job[]): void {
    for (const job of [...jobs].reverse()) this.queue.requeue(job);
  }

  private onCulprit(job: Job, loss: Loss): void {
    const again = () => {
      job.alone = true;
      this.queue.requeue(job);
    };
    if (loss !== 'timeout' && ++job.crashes < crashAttemptsMax) return again();
    this.queue.finished(job, job.timeoutMs);
    if (loss === 'timeout') {
      job.settle(failed('timeout', `the conversion took longer than ${job.timeoutMs} ms`));
    } else job.settle(failed('crashed', `the conversion crashed ${crashAttemptsMax} times`));
  }

  private retireIdle(): void {
    const now = performance.now();
    for (const worker of this.workers) {
      if (this.workers.size <= 1) return;
      if (!worker.isFree || now - worker.idleSince < idleProcessMs) continue;
      this.workers.delete(worker);
      worker.retire();
    }
  }

  stop(): void {
    this.stopped = true;
    clearInterval(this.reaper);
    for (const job of this.queue.remove(() => true)) job.fail(new SandboxStopped());
    for (const worker of this.workers) {
      for (const job of worker.inProgress) job.fail(new SandboxStopped());
      worker.retire();
    }
    this.workers.clear();
  }
}
