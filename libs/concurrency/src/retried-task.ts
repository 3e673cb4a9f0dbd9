import type { TaskLog } from './task-log';
import { backoffMs, pause } from './timing';

export interface RetriedTaskOptions {
  /**
   * Should end early when the signal is aborted.
   * @returns false to run again later; an error has the same effect, and is logged
   */
  readonly run: (signal: AbortSignal) => Promise<boolean>;
  /** Milliseconds between a request and its run; default 0. */
  readonly delayMs?: number | undefined;
  /** The pause after the first failure, which doubles with each further failure, and the longest pause. */
  readonly retryFirstMs: number;
  readonly retryMaxMs: number;
  readonly log: TaskLog;
  /** The log message when a run fails. */
  readonly failure: string;
}

/** Runs a task on request until it succeeds, one run at a time. A request during a run causes a further run. */
export class RetriedTask {
  private isWaiting = false;
  private running: Promise<void> | undefined;
  private readonly stopping = new AbortController();

  constructor(private readonly options: RetriedTaskOptions) {}

  /** True if a further run was requested during the run in progress. */
  get isRequested(): boolean {
    return this.isWaiting;
  }

  request(): void {
    this.isWaiting = true;
    if (!this.stopping.signal.aborted) this.running ??= this.runWhileRequested();
  }

  /** Resolves when the run in progress has ended. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async runWhileRequested(): Promise<void> {
    const { delayMs = 0, retryFirstMs, retryMaxMs } = this.options;
    const { signal } = this.stopping;
    for (let failures = 0; this.isWaiting && !signal.aborted;) {
      await pause(failures === 0 ? delayMs : backoffMs(failures - 1, retryFirstMs, retryMaxMs), signal);
      if (signal.aborted) break;
      this.isWaiting = false;
      failures = (await this.attempt()) ? 0 : failures + 1;
      if (failures > 0) this.isWaiting = true;
    }
    // Together with the last check, so that no request is lost in between.
    this.running = undefined;
  }

  private async attempt(): Promise<boolean> {
    const { run, log, failure } = this.options;
    try {
      return await run(this.stopping.signal);
    } catch (error) {
      if (!this.stopping.signal.aborted) log.warn(failure, { error });
      return false;
    }
  }
}
