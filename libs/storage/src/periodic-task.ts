import type { Log } from '@receipts/kernel';

export interface PeriodicTaskOptions<R> {
  /** 0 turns the timer off. */
  readonly everyMs: number;
  readonly run: () => Promise<R>;
  /** Called after each run started by the timer. */
  readonly onDone?: (result: R) => void;
  readonly log: Log;
  /** The log message when a run started by the timer fails. The next run retries it. */
  readonly failure: string;
}

/** Runs a task at regular intervals and on demand, one run at a time. */
export class PeriodicTask<R> {
  private readonly timer: NodeJS.Timeout | undefined;
  private running: Promise<R> | undefined;

  constructor(private readonly options: PeriodicTaskOptions<R>) {
    const { everyMs, onDone, log, failure } = options;
    if (everyMs === 0) return;
    this.timer = setInterval(() => {
      this.run().then(onDone, (error: unknown) => log.warn(failure, { error }));
    }, everyMs).unref();
  }

  /** Joins the run in progress, if there is one. */
  run(): Promise<R> {
    this.running ??= this.options.run().finally(() => (this.running = undefined));
    return this.running;
  }

  /** Resolves when the run in progress has ended. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running?.catch(() => undefined);
  }
}
