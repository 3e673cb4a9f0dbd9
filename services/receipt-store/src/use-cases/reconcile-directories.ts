import { adminContracts } from '@receipts/contracts';
import { RetriedTask } from '@receipts/concurrency';
import { serviceCall, type Call, type Log } from '@receipts/kernel';
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
  private readonly task: RetriedTask;
  /** True once the copies have been complete for the first time. */
  isComplete = false;

  constructor(private readonly parts: ReconcileParts) {
    const failure = 'could not reconcile with admin';
    this.task = new RetriedTask({ run: () => this.run(), retryFirstMs, retryMaxMs, log: parts.log, failure });
  }

  /** Starts a comparison, or queues a further one if one is running. Retries until admin replies. */
  start(): void {
    this.task.request();
  }

  stop(): void {
    void this.task.stop();
  }

  private async run(): Promise<boolean> {
    const { ask, retailers, stores } = this.parts;
    await retailers.reconcile(
      pages(async (body, call) => {
        const answer = await ask(adminContracts.listRetailers, { body }, call);
        return { page: answer.body.retailers, next: answer.body.next };
      }),
    );
    await stores.reconcile(
      pages(async (body, call) => {
        const answer = await ask(adminContracts.listStoreRecords, { body }, call);
        return { page: answer.body.stores, next: answer.body.next };
      }),
    );
    this.isComplete = true;
    return true;
  }
}

async function* pages<T>(
  read: (
    body: { readonly count: number; readonly after?: string },
    call: Call,
  ) => Promise<{ readonly page: readonly T[]; readonly next: string | null }>,
): AsyncGenerator<readonly T[]> {
  let after: string | null | undefined;
  do {
    const body = { count: pageCount, ...(after && { after }) };
    const { page, next } = await read(body, serviceCall('receipt-store', Date.now()));
    yield page;
    after = next;
  } while (after !== null);
}
