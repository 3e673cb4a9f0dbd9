import { faultFields, type Log } from '../reporting/log';

/** After this time a hanging handler gives up its slot, so that it does not block other jobs. */
export const handlerTimeoutMs = 30_000;
/** A lane in which no handler ends for so long is stuck: one that waits for its turn waits for others that end. */
export const stuckMs = 5 * 60_000;

export interface LaneOptions<J> {
  /** The name in the log. */
  readonly type: string;
  /** Maximum jobs per batch. */
  readonly batchMax: number;
  /** Maximum concurrent batches. */
  readonly concurrency: number;
  /**
   * Milliseconds after a start in which jobs gather while they are few; default 0. The first job after a pause starts at
   * once.
   */
  readonly gatherMs?: number | undefined;
  /** Milliseconds after which a batch gives up its slot; default 30 s. */
  readonly timeoutMs?: number | undefined;
  /**
   * Called when batches are running and none has ended for `stuckMs`. Their messages stay unacknowledged for as long as
   * this process lives.
   */
  readonly giveUp?: ((reason: Error) => void) | undefined;
  /** Must handle its own failures. */
  readonly run: (jobs: readonly J[]) => Promise<void>;
  /** Called right before a job starts; false if its caller no longer waits. */
  readonly start: (job: J) => boolean;
  readonly log: Log;
}

/**
 * A batch of this size starts without further gathering. It does not exceed the prefetch count, so a full consumer
 * never waits.
 */
const gatheredEnough = 64;

/** A queue of jobs of one kind, which run in batches with limited size and concurrency. */
export class Lane<J> {
  readonly #options: LaneOptions<J>;
  #waiting: J[] = [];
  #running = 0;
  /** Running batches, with those that gave up their slot. */
  #unfinished = 0;
  #stuck: NodeJS.Timeout | undefined;
  #scheduled = false;
  /** Set while jobs are gathered into a batch. */
  #gathering: NodeJS.Timeout | undefined;
  #whenIdle: (() => void)[] = [];

  constructor(options: LaneOptions<J>) {
    this.#options = options;
  }

  add(job: J): void {
    this.#waiting.push(job);
    if (this.#scheduled) return;
    this.#scheduled = true;
    // After this turn all jobs from the same socket read are waiting.
    setImmediate(() => {
      this.#scheduled = false;
      this.#pump();
    });
  }

  /** Removes waiting jobs that this process will not handle. */
  drop(isUnwanted: (job: J) => boolean): void {
    this.#waiting = this.#waiting.filter((job) => !isUnwanted(job));
    this.#idle();
  }

  /** Resolves once no job is waiting or running. */
  idle(): Promise<void> {
    if (this.#running === 0 && this.#waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  #pump(): void {
    const { concurrency, batchMax, start } = this.#options;
    let isStarted = false;
    while (this.#running < concurrency && this.#waiting.length > 0 && (isStarted || !this.#gathers())) {
      const jobs = this.#waiting.splice(0, batchMax).filter((job) => start(job));
      if (jobs.length === 0) continue;
      isStarted = true;
      this.#run(jobs);
    }
    if (isStarted) this.#gather();
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
    // Waiting jobs are unacknowledged, so the broker still has them and the timer need not keep the process alive.
    this.#gathering.unref();
  }

  #run(jobs: readonly J[]): void {
    const { type, run, log, timeoutMs = handlerTimeoutMs } = this.#options;
    this.#running++;
    this.#begin();
    let isCounted = true;
    const leave = () => {
      if (!isCounted) return;
      isCounted = false;
      this.#running--;
      this.#pump();
    };
    const late = setTimeout(() => {
      log.error('a handler takes too long; its messages stay unacknowledged', { type, items: jobs.length });
      leave();
    }, timeoutMs).unref();
    void run(jobs)
      .catch((error: unknown) => log.error('a lane failed', { type, ...faultFields(error) }))
      .finally(() => {
        clearTimeout(late);
        this.#end();
        leave();
      });
  }

  #begin(): void {
    const { type, giveUp } = this.#options;
    if (this.#unfinished++ > 0 || !giveUp) return;
    this.#stuck = setTimeout(() => giveUp(new Error(`the handlers of ${type} do not end`)), stuckMs).unref();
  }

  #end(): void {
    if (--this.#unfinished > 0) this.#stuck?.refresh();
    else clearTimeout(this.#stuck);
  }

  #idle(): void {
    if (this.#running > 0 || this.#waiting.length > 0) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }
}
