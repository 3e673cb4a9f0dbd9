import type { TaskLog } from './task-log';

export interface PeriodicTaskOptions<R> {
  readonly everyMs: number;
  /** When the first run starts, if that is before the first interval has passed. */
  readonly firstAfterMs?: number;
  /** Should end early when the signal is aborted, because `stop` waits for it. */
  readonly run: (signal: AbortSignal) => Promise<R>;
  readonly log: TaskLog;
  /** The log message when a run that nobody waits for fails. The next run retries it. */
  readonly failure: string;
}

/**
 * Runs a task on demand, one run at a time, and at regular intervals once it is started. Does not keep the process
 * alive.
 */
export class PeriodicTask<R = void> {
  private timer: NodeJS.Timeout | undefined;
  private first: NodeJS.Timeout | undefined;
  private running: Promise<R> | undefined;
  private readonly stopping = new AbortController();

  constructor(private readonly options: PeriodicTaskOptions<R>) {}

  start(): void {
    const { everyMs, firstAfterMs } = this.options;
    const attempt = () => void this.attempt();
    this.timer = setInterval(attempt, everyMs).unref();
    if (firstAfterMs !== undefined) this.first = setTimeout(attempt, firstAfterMs).unref();
  }

  /** Joins the run in progress, if there is one. */
  run(): Promise<R> {
    this.running ??= this.options.run(this.stopping.signal).finally(() => (this.running = undefined));
    return this.running;
  }

  /** Runs the task unless it is running or stopped, as the timer does: a failure is logged. */
  async attempt(): Promise<void> {
    if (this.running || this.stopping.signal.aborted) return;
    try {
      await this.run();
    } catch (error) {
      this.options.log.warn(this.options.failure, { error });
    }
  }

  /** Resolves when the run in progress has ended. */
  async stop(): Promise<void> {
    this.stopping.abort();
    clearInterval(this.timer);
    clearTimeout(this.first);
    await this.running?.catch(() => undefined);
  }
}
