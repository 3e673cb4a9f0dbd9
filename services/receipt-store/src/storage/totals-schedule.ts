import type { Log } from '@receipts/kernel';
import type { Arrival, Sales } from './sales';
import type { Totals } from './totals';

/** Receives the receipts stored by this process. */
export interface TotalsFeed {
  noteArrival(retailer: string, arrival: Arrival): void;
}

const everyMs = 1_000;
const workMsMax = 10_000;

/**
 * Adds this process's receipts to the totals about once a second, so that queries have little left to add. Queries do
 * not depend on this.
 */
export class TotalsSchedule implements TotalsFeed {
  private readonly arrived = new Set<string>();
  private readonly changed = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(
    private readonly totals: Pick<Totals, 'addRemembered' | 'catchUp'>,
    private readonly sales: Pick<Sales, 'remember'>,
    private readonly log: Log,
  ) {}

  noteArrival(retailer: string, arrival: Arrival): void {
    this.sales.remember(retailer, arrival);
    this.arrived.add(retailer);
    this.plan();
  }

  /** Records that receipts of a retailer were changed. */
  noteChange(retailer: string): void {
    this.changed.add(retailer);
    this.plan();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private plan(): void {
    if (this.timer || this.isStopped) return;
    // Several processes should not work on the same buckets at the same time.
    const afterMs = everyMs * (0.75 + Math.random() / 2);
    this.timer = setTimeout(() => {
      this.running = this.run()
        .catch((error: unknown) => this.log.warn('could not update totals', { error }))
        .finally(() => {
          this.timer = undefined;
          if (this.arrived.size + this.changed.size > 0) this.plan();
        });
    }, afterMs).unref();
  }

  private async run(): Promise<void> {
    const timeLimit = { deadline: Date.now() + workMsMax };
    const arrived = [...this.arrived];
    const behind = new Set(this.changed);
    this.arrived.clear();
    this.changed.clear();
    try {
      for (const retailer of await this.totals.addRemembered(arrived, timeLimit)) behind.add(retailer);
      for (const retailer of behind) {
        await this.totals.catchUp(retailer, timeLimit);
        behind.delete(retailer);
      }
    } catch (error) {
      for (const retailer of arrived) this.arrived.add(retailer);
      for (const retailer of behind) this.changed.add(retailer);
      throw error;
    }
  }
}
