import { PeriodicTask } from '@receipts/concurrency';
import { type Log } from '@receipts/kernel';
import type { ArrivedSale, Sales } from './sales';
import type { Totals } from './totals';

const everyMs = 1_000;
const workMsMax = 10_000;

/**
 * Adds this process's receipts to the totals about once a second, so that queries have little left to add. Queries do
 * not depend on this.
 */
export class TotalsSchedule {
  private readonly arrived = new Set<string>();
  private readonly changed = new Set<string>();
  private readonly task: PeriodicTask;

  constructor(
    private readonly totals: Pick<Totals, 'addRemembered' | 'catchUp'>,
    private readonly sales: Pick<Sales, 'remember'>,
    log: Log,
  ) {
    this.task = new PeriodicTask({
      // Several processes should not work on the same buckets at the same time.
      everyMs: everyMs * (0.75 + Math.random() / 2),
      run: () => this.run(),
      log,
      failure: 'could not update totals',
    });
  }

  /** Records a receipt stored by this process. */
  noteArrival(retailer: string, arrival: ArrivedSale): void {
    this.sales.remember(retailer, arrival);
    this.arrived.add(retailer);
  }

  /** Records that receipts of a retailer were changed. */
  noteChange(retailer: string): void {
    this.changed.add(retailer);
  }

  start(): void {
    this.task.start();
  }

  stop(): Promise<void> {
    return this.task.stop();
  }

  private async run(): Promise<void> {
    if (this.arrived.size + this.changed.size === 0) return;
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
