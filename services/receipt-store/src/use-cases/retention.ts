import type { RawDataSelection, Retailer } from '@receipts/contracts';
import { pause, PeriodicTask } from '@receipts/concurrency';
import { serviceCall, type Log } from '@receipts/kernel';
import type { Lease } from '@receipts/storage';
import type { ReceiptDeletion } from '../storage/receipt-deletion';
import type { Receipts } from '../storage/receipts';
import { discardUnneededRawData, type DiscardUnneededRawDataDependencies } from './discard-unneeded-raw-data';

export interface RetentionDependencies extends DiscardUnneededRawDataDependencies {
  readonly retailers: () => readonly Retailer[];
  readonly receipts: Pick<Receipts, 'arrivedBefore'>;
  readonly deletion: Pick<ReceiptDeletion, 'delete'>;
  /** Only one process at a time deletes receipts. */
  readonly lease: Lease;
  readonly log: Log;
  readonly now: () => Date;
}

/**
 * Receipts are deleted within a day of their limit, counted from their arrival, because the clock of a till may be wrong. If there is nothing to delete, a check costs one index key and a
 * renewal of the lease per retailer with a limit.
 */
const everyMs = 60 * 60_000;
/** The first run is soon after the start, because a process may end within the first hour. */
const firstAfterMs = 60_000;
const stepCount = 50;
/** The pause between two batches, which leaves the database to other requests. */
const pauseMs = 200;
const callTimeoutMs = 10_000;
const dayMs = 24 * 60 * 60_000;
const failure = 'could not delete old receipts';

const callOf = (retailer: string) => serviceCall('receipt-store', Date.now(), retailer, callTimeoutMs);

/** Deletes receipts and raw data that exceed their retailer's retention period, in small batches. */
export class Retention {
  /** A run returns the number of deleted receipts. */
  readonly task: PeriodicTask<number>;

  constructor(private readonly deps: RetentionDependencies) {
    const run = (signal: AbortSignal) => this.run(signal);
    this.task = new PeriodicTask({ everyMs, firstAfterMs, run, log: deps.log, failure });
  }

  private async run(stopping: AbortSignal): Promise<number> {
    const { retailers, log, now } = this.deps;
    let count = 0;
    for (const retailer of retailers()) {
      if (retailer.settings.retention_days === null) continue;
      if (!(await this.mayContinue(stopping))) break;
      try {
        const end = new Date(now().getTime() - retailer.settings.retention_days * dayMs);
        count += await this.deleteReceipts(retailer.id, end, stopping);
        await this.expireRawData(retailer.id, end, stopping);
      } catch (error) {
        log.warn(failure, { retailer: retailer.id, error });
      }
    }
    if (count > 0) log.info('deleted receipts past their retention period', { count });
    return count;
  }

  private async deleteReceipts(retailer: string, end: Date, stopping: AbortSignal): Promise<number> {
    const { receipts, deletion } = this.deps;
    let count = 0;
    do {
      const ids = await receipts.arrivedBefore(retailer, end, stepCount, callOf(retailer));
      for (const id of ids) await deletion.delete(id, {}, callOf(retailer));
      count += ids.length;
      if (ids.length < stepCount) break;
      await pause(pauseMs);
    } while (await this.mayContinue(stopping));
    return count;
  }

  /** Deletes the raw data that never belonged to a receipt. That of deleted receipts is deleted with them. */
  private async expireRawData(retailer: string, end: Date, stopping: AbortSignal): Promise<void> {
    const before = end.toISOString();
    for (let after: string | null = null; await this.mayContinue(stopping);) {
      const selection: RawDataSelection = { before, after };
      after = (await discardUnneededRawData(this.deps, { selection }, callOf(retailer))).next;
      if (after === null) return;
    }
  }

  private async mayContinue(stopping: AbortSignal): Promise<boolean> {
    return !stopping.aborted && this.deps.lease.acquire();
  }
}
