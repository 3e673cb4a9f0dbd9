import { adminContracts, type Retailer, type StoreRecord } from '@receipts/contracts';
import { serviceCall, type Log } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import type { RetailerDirectory, StoreDirectory } from '../storage/directories';

const pageCount = 500;
const retryFirstMs = 500;
const retryMaxMs = 10_000;

export interface ReconcileParts {
  readonly ask: Broker['ask'];
  readonly retailers: RetailerDirectory;
  readonly stores: StoreDirectory;
  readonly log: Log;
}

/**
 * Compares the copies of stores and retailers with admin's data, because events published while this process was down are
 * lost.
 */
export class DirectoryReconciler {
  private again = false;
  private running = false;
  private stopped = false;
  private wake: (() => void) | undefined;
  /** True once the copies have been complete for the first time. */
  isComplete = false;

  constructor(private readonly parts: ReconcileParts) {}

  /** Starts a comparison, or queues a further one if one is running. Retries until admin replies. */
  start(): void {
    this.again = true;
    if (!this.running) void this.run();
  }

  stop(): void {
    this.stopped = true;
    this.wake?.();
  }

  private async run(): Promise<void> {
    this.running = true;
    let delayMs = retryFirstMs;
    while (this.again && !this.stopped) {
      this.again = false;
      try {
        await this.parts.retailers.reconcile(this.retailerPages());
        await this.parts.stores.reconcile(this.storePages());
        this.isComplete = true;
        delayMs = retryFirstMs;
      } catch (error) {
        this.parts.log.warn('could not reconcile with admin', { error });
        this.again = true;
        await this.pause(delayMs);
        delayMs = Math.min(retryMaxMs, delayMs * 2);
      }
    }
    this.running = false;
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      timer.unref();
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private async *retailerPages(): AsyncGenerator<readonly Retailer[]> {
    let after: string | null | undefined;
    do {
      const body = { count: pageCount, ...(after && { after }) };
      const answer = await this.parts.ask(
        adminContracts.listRetailers,
        { body },
        serviceCall('receipt-store', Date.now()),
      );
      yield answer.body.retailers;
      after = answer.body.next;
    } while (after !== null);
  }

  private async *storePages(): AsyncGenerator<readonly StoreRecord[]> {
    let after: string | null | undefined;
    do {
      const body = { count: pageCount, ...(after && { after }) };
      const answer = await this.parts.ask(
        adminContracts.listStoreRecords,
        { body },
        serviceCall('receipt-store', Date.now()),
      );
      yield answer.body.stores;
      after = answer.body.next;
    } while (after !== null);
  }
}
