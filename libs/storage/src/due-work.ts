import { resolvesWithin } from '@receipts/concurrency';
import { type Log } from '@receipts/kernel';
import type { Due, ClaimOrder } from './claim-round-robin';
import { databaseTimeout } from './faults';

const pollEveryMsDefault = 2_000;
/** The default for `parallelMax`. */
export const dueWorkParallelMax = 8;
/** The maximum for one retailer, so that retailers with much or slow work leave capacity for the others. */
const shareOfRetailer = 0.5;

export interface DueWorkOptions<T> {
  /** The name of the work, for the log. */
  readonly name: string;
  /** Claims a piece that is due, for this process. See {@link claimRoundRobin}. */
  readonly claim: (order: ClaimOrder, signal: AbortSignal) => Promise<T | null>;
  /** Processes a piece of work, and saves the outcome. */
  readonly attempt: (due: T) => Promise<void>;
  readonly log: Log;
  /** The maximum number of pieces that a process works on in parallel. */
  readonly parallelMax?: number;
  /** How often to look for pieces that have become due; default 2 s. */
  readonly pollEveryMs?: number;
  /** When the service stops, attempts that take longer than this are abandoned; their claims expire. */
  readonly stopGraceMs?: number;
}

/**
 * Processes due work: when woken, and, once it is started, when later pieces become due. Each process claims a piece of one
 * retailer after the other, and works on a limited number of pieces of each in parallel.
 */
export class DueWork<T extends Due> {
  isStopping = false;
  private lastHandOver = Infinity;
  private timer: NodeJS.Timeout | undefined;
  private readonly running = new Set<Promise<void>>();
  private readonly inProgress = new Map<string, number>();
  private after = '';
  private lastClaim: Promise<unknown> = Promise.resolve();
  private hasQueuedClaim = false;
  private readonly parallelMax: number;

  constructor(private readonly options: DueWorkOptions<T>) {
    this.parallelMax = options.parallelMax ?? dueWorkParallelMax;
  }

  /** False if the service is about to end, so that an attempt could not save its outcome any more. */
  get hasTimeToHandOver(): boolean {
    return performance.now() <= this.lastHandOver;
  }

  start(): void {
    this.timer = setInterval(() => this.wake(), this.options.pollEveryMs ?? pollEveryMsDefault).unref();
    this.wake();
  }

  wake(): void {
    // A claim that has not begun yet will find the work, and wakes again if it finds any.
    if (this.isStopping || this.hasQueuedClaim || this.running.size >= this.parallelMax) return;
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

  /** Only one claim runs at a time, so that each sees the previous claims. */
  private claim(): Promise<T | null> {
    this.hasQueuedClaim = true;
    const claimed = this.lastClaim.then(async () => {
      this.hasQueuedClaim = false;
      if (this.isStopping) return null;
      const full = [...this.inProgress].filter(([, count]) => count >= this.parallelMax * shareOfRetailer);
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
