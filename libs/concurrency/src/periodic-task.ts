import type { TaskLog } from './task-log';

export interface PeriodicTaskOptions<R> {
  /** 0 turns the timer off. */
  readonly everyMs: number;
  /** When the first run starts, if that is before the first interval has passed. */
  readonly firstAfterMs?: number;
  readonly run: () => Promise<R>;
  readonly log: TaskLog;
  /** The log message when a run that nobody waits for fails. The next run retries it. */
  readonly failure: string;
}

/** Runs a task at regular intervals and on demand, one run at a time. Does not keep the process alive. */
export class PeriodicTask<R = void> {
  private readonly timer: NodeJS.Timeout | undefined;
  private readonly first: NodeJS.Timeout | undefined;
  private running: Promise<R> | undefined;
  private isStopped = false;

  constructor(private readonly options: PeriodicTaskOptions<R>) {
    const { everyMs, firstAfterMs } = options;
    const attempt = () => void this.attempt();
    if (everyMs > 0) this.timer = setInterval(attempt, everyMs).unref();
    if (firstAfterMs !== undefined) this.first = setTimeout(attempt, firstAfterMs).unref();
  }

  /** Joins the run in progress, if there is one. */
  run(): Promise<R> {
    this.running ??= this.options.run().finally(() => (this.running = undefined));
    return this.running;
  }

  /** Runs the task unless it is running or stopped, as the timer does: a failure is logged. */
  async attempt(): Promise<void> {
    if (this.running || this.isStopped) return;
    try {
      await this.run();
    } catch (error) {
      this.options.log.warn(this.options.failure, { error });
    }
  }

  /** Resolves when the run in progress has ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    clearTimeout(this.first);
    await this.running?.catch(() => undefined);
  }
}
