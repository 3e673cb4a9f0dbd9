import { faultFields, type Log } from '../reporting/log';

/** A handler that takes longer has failed as far as others are concerned: its place is given to the next. */
export const handlerTimeoutMs = 30_000;

export interface LaneOptions<J> {
  /** Named in the log. */
  readonly type: string;
  /** Jobs that are handed over in one go. */
  readonly batchMax: number;
  /** Batches that run at once. */
  readonly concurrency: number;
  /**
   * Milliseconds between the starts of two batches, in which jobs gather while they are few; none unless given. The first job after a
   * pause is never kept waiting.
   */
  readonly gatherMs?: number | undefined;
  /** Milliseconds after which a batch gives its place to the next; 30 s unless given. */
  readonly timeoutMs?: number | undefined;
  /** Deals with its own failures. */
  readonly run: (jobs: readonly J[]) => Promise<void>;
  /** False for a job that nobody waits for any more. Asked right before it would start. */
  readonly start: (job: J) => boolean;
  readonly log: Log;
}

/** So many jobs are a batch worth starting. It is no more than the messages that a consumer is given at once, so they never stand still. */
const gatheredEnough = 64;

/** Jobs of one kind: takes what is at hand, up to a bound, and runs so many batches at once. */
export class Lane<J> {
  readonly #options: LaneOptions<J>;
  #waiting: J[] = [];
  #running = 0;
  #scheduled = false;
  /** Runs while jobs gather. */
  #gathering: NodeJS.Timeout | undefined;
  #whenIdle: (() => void)[] = [];

  constructor(options: LaneOptions<J>) {
    this.#options = options;
  }

  add(job: J): void {
    this.#waiting.push(job);
    if (this.#scheduled) return;
    this.#scheduled = true;
    // Everything that came in with the same read of the socket is then at hand.
    setImmediate(() => {
      this.#scheduled = false;
      this.#pump();
    });
  }

  /** Throws out the waiting jobs that are not to be done here after all. */
  drop(isUnwanted: (job: J) => boolean): void {
    this.#waiting = this.#waiting.filter((job) => !isUnwanted(job));
    this.#idle();
  }

  /** Resolves once nothing waits and nothing runs. */
  idle(): Promise<void> {
    if (this.#running === 0 && this.#waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  #pump(): void {
    const { concurrency, batchMax, start } = this.#options;
    while (this.#running < concurrency && this.#waiting.length > 0 && !this.#gathers()) {
      const jobs = this.#waiting.splice(0, batchMax).filter((job) => start(job));
      if (jobs.length === 0) continue;
      this.#gather();
      this.#run(jobs);
    }
    this.#idle();
  }

  #gathers(): boolean {
    return this.#gathering !== undefined && this.#waiting.length < gatheredEnough;
  }

  #gather(): void {
    const { gatherMs = 0 } = this.#options;
    if (gatherMs === 0) return;
    clearTimeout(this.#gathering);
    this.#gathering = setTimeout(() => {
      this.#gathering = undefined;
      this.#pump();
    }, gatherMs);
    // What waits is not acknowledged, and the broker has it as well.
    this.#gathering.unref();
  }

  #run(jobs: readonly J[]): void {
    const { type, run, log, timeoutMs = handlerTimeoutMs } = this.#options;
    this.#running++;
    let isCounted = true;
    const leave = () => {
      if (!isCounted) return;
      isCounted = false;
      this.#running--;
      this.#pump();
    };
    const timer = setTimeout(() => {
      log.error('a handler takes too long; its messages stay unacknowledged', { type, items: jobs.length });
      leave();
    }, timeoutMs);
    timer.unref();
    void run(jobs)
      .catch((error: unknown) => log.error('a lane failed', { type, ...faultFields(error) }))
      .finally(() => {
        clearTimeout(timer);
        leave();
      });
  }

  #idle(): void {
    if (this.#running > 0 || this.#waiting.length > 0) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }
}
