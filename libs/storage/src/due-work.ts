import { resolvesWithin } from '@receipts/concurrency';
import { type Log } from '@receipts/kernel';
import type { Due, ClaimOrder } from './claim-round-robin';
import { databaseTimeout } from './faults';

const pollEveryMs = 2_000;
/** The maximum number of pieces that a process works on in parallel. */
export const dueWorkParallelMax = 8;
/** The maximum for one retailer, so that retailers with much or slow work leave capacity for the others. */
const perRetailerMax = 4;

export interface DueWorkOptions<T> {
  /** The name of the work, for the log. */
  readonly name: string;
  /** Claims a piece that is due, for this process. See {@link claimRoundRobin}. */
  readonly claim: (order: ClaimOrder, signal: AbortSignal) => Promise<T | null>;
  /** Processes a piece of work, and saves the outcome. */
  readonly attempt: (due: T) => Promise<void>;
  readonly log: Log;
  /** When the service stops, attempts that take longer than this are abandoned; their claims expire. */
  readonly stopGraceMs?: number;
}

/**
 * Processes due work: when woken, and, once it is started, when later pieces become due. Retailers with due work take
 * turns.
 */
export class DueWork<T extends Due> {
  isStopping = false;
  private lastHandOver = Infinity;
  private timer: NodeJS.Timeout | undefined;
  private readonly running = new Set<Promise<void>>();
  private readonly inProgress = new Map<string, number>();
  private after = '';
  private lastClaim: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: DueWorkOptions<T>) {}

  /** False if the service is about to end, so that an attempt could not save its outcome any more. */
  get hasTimeToHandOver(): boolean {
    return performance.now() <= this.lastHandOver;
  }

  start(): void {
    this.timer = setInterval(() => this.wake(), pollEveryMs).unref();
    this.wake();
  }

  wake(): void {
    if (this.isStopping || this.running.size >= dueWorkParallelMax) return;
    const run = this.drain().finally(() => this.running.delete(run));
    this.running.add(run);
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    clearInterval(this.timer);
    const done = Promise.all(this.running);
    const { stopGraceMs } = this.options;
    if (stopGraceMs === undefined) return void (await done);
    this.lastHandOver = performance.now() + stopGraceMs / 2;
    await resolvesWithin(stopGraceMs, done);
  }

  private async drain(): Promise<void> {
    const { name, attempt, log } = this.options;
    try {
      while (!this.isStopping) {
        const due = await this.claim();
        if (!due) return;
        // There may be more due work.
        this.wake();
        try {
          await attempt(due);
        } finally {
          this.count(due.retailer, -1);
        }
      }
    } catch (error) {
      // The claim expires, and a later check finds it again.
      log.warn(`could not work on ${name}`, { error });
    }
  }

  /** Only one claim runs at a time, so that each sees the previous turns. */
  private claim(): Promise<T | null> {
    const claimed = this.lastClaim.then(async () => {
      if (this.isStopping) return null;
      const full = [...this.inProgress].filter(([, count]) => count >= perRetailerMax);
      const order = { after: this.after, except: full.map(([retailer]) => retailer) };
      const due = await this.options.claim(order, databaseTimeout());
      if (!due) return null;
      this.after = due.retailer;
      this.count(due.retailer, 1);
      return due;
    });
    this.lastClaim = claimed.catch(() => {});
    return claimed;
  }

  private count(retailer: string, difference: number): void {
    const count = (this.inProgress.get(retailer) ?? 0) + difference;
    if (count > 0) this.inProgress.set(retailer, count);
    else this.inProgress.delete(retailer);
  }
}
