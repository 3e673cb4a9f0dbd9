import { BatchScheduler, resolvesWithin, type BatchSchedulerOptions } from '@receipts/concurrency';
import { type Log } from '@receipts/kernel';

/** After this time a hanging handler no longer counts as running, so that it does not block other jobs. */
export const handlerTimeoutMs = 30_000;
/**
 * A queue in which no handler has finished for this long is stuck: if handlers were only waiting their turn, others
 * would finish.
 */
export const stuckMs = 5 * 60_000;
/**
 * A batch of this size starts without waiting for more jobs. It does not exceed the prefetch count, so a full consumer
 * never waits.
 */
const fullBatch = 64;

export interface BatchQueueOptions<J> extends Pick<BatchSchedulerOptions<J>, 'batchWindowMs'> {
  /** The name in the log. */
  readonly type: string;
  /** The maximum number of jobs per batch. */
  readonly batchMax: number;
  /** The maximum number of concurrent batches. */
  readonly concurrency: number;
  /** True if these jobs start before the window ends; by default, 64 jobs do. */
  readonly isFull?: (waiting: readonly J[]) => boolean;
  /** Milliseconds after which a batch no longer counts as running; default 30 s. */
  readonly timeoutMs?: number | undefined;
  /**
   * Called when a batch takes too long. If it is missing, the messages of the batch stay unacknowledged until the batch
   * ends.
   */
  readonly timedOut?: ((jobs: readonly J[]) => void) | undefined;
  /** Called when no batch has finished for `stuckMs`; its messages stay unacknowledged while this process lives. */
  readonly giveUp?: ((reason: Error) => void) | undefined;
  /** Must handle its own failures. */
  readonly run: (jobs: readonly J[]) => Promise<void>;
  readonly log: Log;
}

/** Jobs of one kind, which run in batches with limited size, concurrency and time. */
export class BatchQueue<J> {
  private readonly scheduler: BatchScheduler<J>;
  private waiting: J[] = [];
  /** Running batches, including those that took too long. */
  private unfinished = 0;
  private stuckTimer: NodeJS.Timeout | undefined;

  constructor(private readonly options: BatchQueueOptions<J>) {
    const { batchMax, concurrency, batchWindowMs } = options;
    const { isFull = (waiting) => waiting.length >= fullBatch } = options;
    this.scheduler = new BatchScheduler<J>({
      concurrency,
      batchWindowMs,
      waitingCount: () => this.waiting.length,
      isFull: () => isFull(this.waiting),
      take: () => this.waiting.splice(0, batchMax),
      run: (jobs) => this.runInTime(jobs),
    });
  }

  add(job: J): void {
    this.waiting.push(job);
    this.scheduler.schedule();
  }

  /** Removes waiting jobs that this process will not handle. */
  drop(isUnwanted: (job: J) => boolean): void {
    this.waiting = this.waiting.filter((job) => !isUnwanted(job));
    this.scheduler.start();
  }

  /** Runs a batch immediately, outside the queue. */
  run(jobs: readonly J[]): Promise<void> {
    return this.options.run(jobs);
  }

  /** Resolves once no job is waiting or running. */
  idle(): Promise<void> {
    return this.scheduler.idle();
  }

  /** Resolves when the batch ends or no longer counts as running. */
  private async runInTime(jobs: readonly J[]): Promise<void> {
    const { type, run, timedOut, giveUp, log, timeoutMs = handlerTimeoutMs } = this.options;
    if (this.unfinished++ === 0 && giveUp) {
      const giveUpStuck = () => giveUp(new Error(`the handlers of ${type} did not finish in time`));
      this.stuckTimer = setTimeout(giveUpStuck, stuckMs).unref();
    }
    const ended = run(jobs)
      .catch((error: unknown) => log.error('a batch failed', { type, error }))
      .finally(() => {
        if (--this.unfinished > 0) this.stuckTimer?.refresh();
        else clearTimeout(this.stuckTimer);
      });
    if (await resolvesWithin(timeoutMs, ended)) return;
    log.error('a handler takes too long', { type, items: jobs.length });
    timedOut?.(jobs);
  }
}
