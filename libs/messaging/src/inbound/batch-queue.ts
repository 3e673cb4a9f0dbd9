import { Idle, oncePerTurn, resolvesWithin, type Log } from '@receipts/kernel';

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

export interface BatchQueueOptions<J> {
  /** The name in the log. */
  readonly type: string;
  /** The maximum number of jobs per batch. */
  readonly batchMax: number;
  /** The maximum number of concurrent batches. */
  readonly concurrency: number;
  /**
   * Milliseconds after a start during which a few jobs wait for more; default 0. The first job after a pause starts
   * immediately.
   */
  readonly batchWindowMs?: number | undefined;
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

/** Jobs of one kind, which run in batches with limited size and concurrency. */
export class BatchQueue<J> {
  readonly #options: BatchQueueOptions<J>;
  readonly #schedule = oncePerTurn(() => this.#startBatches());
  readonly #idle = new Idle(() => this.#running === 0 && this.#waiting.length === 0);
  #waiting: J[] = [];
  #running = 0;
  /** Running batches, including those that took too long. */
  #unfinished = 0;
  #stuckTimer: NodeJS.Timeout | undefined;
  /** Set while the batch window is open. */
  #windowTimer: NodeJS.Timeout | undefined;

  constructor(options: BatchQueueOptions<J>) {
    this.#options = options;
  }

  add(job: J): void {
    this.#waiting.push(job);
    this.#schedule();
  }

  /** Removes waiting jobs that this process will not handle. */
  drop(isUnwanted: (job: J) => boolean): void {
    this.#waiting = this.#waiting.filter((job) => !isUnwanted(job));
    this.#idle.check();
  }

  /** Runs a batch immediately, outside the queue. */
  run(jobs: readonly J[]): Promise<void> {
    return this.#options.run(jobs);
  }

  /** Resolves once no job is waiting or running. */
  idle(): Promise<void> {
    return this.#idle.wait();
  }

  #startBatches(): void {
    const { concurrency, batchMax } = this.#options;
    const mayStart = this.#windowTimer === undefined || this.#waiting.length >= fullBatch;
    let isStarted = false;
    while (mayStart && this.#running < concurrency && this.#waiting.length > 0) {
      isStarted = true;
      void this.#run(this.#waiting.splice(0, batchMax));
    }
    if (isStarted) this.#openWindow();
    this.#idle.check();
  }

  #openWindow(): void {
    const { batchWindowMs = 0 } = this.#options;
    if (batchWindowMs === 0) return;
    clearTimeout(this.#windowTimer);
    this.#windowTimer = setTimeout(() => {
      this.#windowTimer = undefined;
      this.#startBatches();
    }, batchWindowMs);
    // Waiting jobs are unacknowledged, so the broker still has them and the timer need not keep the process alive.
    this.#windowTimer.unref();
  }

  async #run(jobs: readonly J[]): Promise<void> {
    const { type, run, timedOut, giveUp, log, timeoutMs = handlerTimeoutMs } = this.#options;
    this.#running++;
    if (this.#unfinished++ === 0 && giveUp) {
      const giveUpStuck = () => giveUp(new Error(`the handlers of ${type} did not finish in time`));
      this.#stuckTimer = setTimeout(giveUpStuck, stuckMs).unref();
    }
    const ended = run(jobs)
      .catch((error: unknown) => log.error('a batch failed', { type, error }))
      .finally(() => {
        if (--this.#unfinished > 0) this.#stuckTimer?.refresh();
        else clearTimeout(this.#stuckTimer);
      });
    if (!(await resolvesWithin(timeoutMs, ended))) {
      log.error('a handler takes too long', { type, items: jobs.length });
      timedOut?.(jobs);
    }
    this.#running--;
    this.#startBatches();
  }
}
