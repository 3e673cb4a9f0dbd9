import { receiptViewed, type ReturnedReceipt } from '@receipts/contracts';
import { eventOf, type Call } from '@receipts/kernel';
import { databaseTimeout } from '@receipts/storage';
import type { ModuleDependencies } from '../module-dependencies';
import { viewerOf } from './domain/viewer';
import type { ReceiptViews } from './storage/receipt-views';

export interface ViewDependencies extends Pick<ModuleDependencies, 'log' | 'now'> {
  readonly views: ReceiptViews;
}

interface View {
  readonly retailer: string;
  readonly receipt: ReturnedReceipt;
  readonly headers: Parameters<typeof viewerOf>[0];
}

function factsOf(receipt: ReturnedReceipt) {
  const { id, transaction_id, external_id, identifier, store_reference, timestamp, total, duplicate } =
    receipt;
  const named = { id, transaction_id, external_id, identifier, store_reference };
  return { ...named, timestamp, total, currency: receipt.l10n.currency, duplicate };
}

/** Counts views of receipts in the background, so that pages are not delayed. */
export class ViewRecorder {
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly deps: ViewDependencies) {}

  note(view: View, call: Call): void {
    const run = this.tell(view, call)
      .catch((error: unknown) => this.deps.log.warn('a view could not be counted', { error }))
      .finally(() => this.running.delete(run));
    this.running.add(run);
  }

  async stop(): Promise<void> {
    await Promise.all(this.running);
  }

  private async tell({ retailer, receipt, headers }: View, call: Call): Promise<void> {
    const { views, now } = this.deps;
    const viewer = viewerOf(headers);
    const at = now();
    const printed = (count: number, all: number) => {
      const data = { ...factsOf(receipt), viewer, views: count, repeated: count > 1 };
      return eventOf(receiptViewed, { subject: receipt.id, sequence: all, data }, { ...call, retailer }, at);
    };
    await views.add({ retailer, receiptId: receipt.id, viewer, at }, printed, databaseTimeout());
  }
}
