import { databaseTimeoutMs } from './faults';
import type { Log } from './log';

const lookEveryMs = 2_000;
/** Limits the parallel work, so that one long piece does not block the others. */
const parallelMax = 4;

export interface DueWorkOptions<T> {
  /** What it works on, for the log. */
  readonly name: string;
  /** Claims a piece that is due, for this process. */
  readonly claim: (signal: AbortSignal) => Promise<T | null>;
  /** Does a piece, and saves how it went. */
  readonly attempt: (due: T) => Promise<void>;
  readonly log: Log;
  /** When the service stops, attempts that take longer than this are abandoned; their claims expire. */
  readonly stopGraceMs?: number;
}

/** Works on what is due: when woken, and at the times of later pieces. */
export class DueWork<T> {
  isStopping = false;
  private readonly timer: NodeJS.Timeout;
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly options: DueWorkOptions<T>) {
    this.timer = setInterval(() => this.wake(), lookEveryMs).unref();
  }

  wake(): void {
    if (this.isStopping || this.running.size >= parallelMax) return;
    const run = this.drain().finally(() => this.running.delete(run));
    this.running.add(run);
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    clearInterval(this.timer);
    const done = Promise.all(this.running);
    const { stopGraceMs } = this.options;
    if (stopGraceMs === undefined) return void (await done);
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise((resolve) => (timer = setTimeout(resolve, stopGraceMs)));
    await Promise.race([done, timeout]);
    clearTimeout(timer);
  }

  private async drain(): Promise<void> {
    const { name, claim, attempt, log } = this.options;
    try {
      while (!this.isStopping) {
        const due = await claim(AbortSignal.timeout(databaseTimeoutMs));
        if (!due) return;
        await attempt(due);
      }
    } catch (error) {
      // The claim expires, and a later check finds it again.
      log.warn(`could not work on ${name}`, { error: (error as Error).name });
    }
  }
}
