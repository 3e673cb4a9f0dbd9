import type { Retailer } from '@receipts/contracts';
import { serviceCall, type Log } from '@receipts/kernel';
import type { Lease } from '@receipts/storage';
import type { ReceiptDeletion } from '../storage/receipt-deletion';
import type { OldReceipts } from '../storage/old-receipts';

export interface RetentionParts {
  readonly retailers: () => readonly Retailer[];
  readonly old: OldReceipts;
  readonly deletion: Pick<ReceiptDeletion, 'delete'>;
  /** Only one process at a time deletes receipts. */
  readonly lease: Lease;
  readonly log: Log;
  readonly now: () => Date;
}

/**
 * Receipts are deleted within a day of their limit. If there is nothing to delete, a check costs one index key per
 * retailer with a limit.
 */
const everyMs = 60 * 60_000;
/** The first run is soon after the start, because a process may end within the first hour. */
const firstAfterMs = 60_000;
const stepCount = 50;
/** The pause between two batches, which leaves the database to other requests. */
const pauseMs = 200;
const callTimeoutMs = 10_000;
const dayMs = 24 * 60 * 60_000;

/** Deletes receipts that exceed their retailer's retention period, in small batches. */
export class Retention {
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;
  private running: Promise<unknown> = Promise.resolve();

  constructor(private readonly parts: RetentionParts) {}

  start(): void {
    this.plan(firstAfterMs);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  /** @returns the number of deleted receipts */
  async run(): Promise<number> {
    const { retailers, lease, log } = this.parts;
    const limited = retailers().filter(({ settings }) => settings.retention_days !== null);
    if (limited.length === 0 || !(await lease.acquire())) return 0;
    let count = 0;
    for (const retailer of limited) count += await this.runFor(retailer);
    if (count > 0) log.info('deleted receipts past their retention period', { count });
    return count;
  }

  private async runFor({ id: retailer, settings }: Retailer): Promise<number> {
    const { old, deletion, lease, now } = this.parts;
    const before = new Date(now().getTime() - (settings.retention_days ?? 0) * dayMs);
    let count = 0;
    while (!this.isStopped) {
      const call = serviceCall('receipt-store', Date.now(), retailer, callTimeoutMs);
      const ids = await old.find(retailer, before, stepCount, call);
      for (const id of ids) await deletion.delete(id, undefined, call);
      count += ids.length;
      if (ids.length < stepCount || !(await lease.acquire())) break;
      await new Promise((wake) => setTimeout(wake, pauseMs));
    }
    return count;
  }

  private plan(afterMs: number): void {
    if (this.isStopped) return;
    this.timer = setTimeout(() => {
      this.running = this.run()
        .catch((error: unknown) => this.parts.log.warn('could not delete old receipts', { error }))
        .finally(() => this.plan(everyMs));
    }, afterMs).unref();
  }
}
