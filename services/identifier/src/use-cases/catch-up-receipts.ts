import { changesSource, type ChangedReceipt, type ReceiptFigures } from '@receipts/contracts';
import type { Broker } from '@receipts/messaging';
import { GapRecovery, type GapRecoveryOptions } from '@receipts/storage';
import type { Deletion, ReceiptEvent } from '../domain/receipt-contribution';

export interface CatchUpDependencies extends Pick<
  GapRecoveryOptions<ChangedReceipt>,
  'cursors' | 'rebuildMarkers' | 'lease' | 'log' | 'delayMs'
> {
  readonly ask: Broker['ask'];
  readonly changed: (events: readonly ReceiptEvent[]) => Promise<void>;
  readonly deleted: (events: readonly Deletion[]) => Promise<void>;
  readonly now: () => Date;
}

/** Compares data derived from receipts with receipt-store and corrects it, in case events were lost. */
export function catchUpReceipts(deps: CatchUpDependencies): GapRecovery<ChangedReceipt> {
  const { ask, changed, deleted, now, ...rest } = deps;
  return new GapRecovery<ChangedReceipt>({
    ...rest,
    now,
    name: 'summaries and rewards',
    ...changesSource(ask, 'identifier'),
    async apply(retailer, changes, askedAt) {
      const time = askedAt.toISOString();
      const left = changes.flatMap(({ id, version, figures }): ReceiptEvent[] =>
        figures ? [lostEvent(retailer, id, version, figures, time)] : [],
      );
      await changed(left);
      const gone = changes.filter(({ figures }) => !figures);
      await deleted(
        gone.map(({ id, version }) => ({
          retailer,
          sequence: version,
          data: { id, deleted_timestamp: time },
        })),
      );
    },
  });
}

/** Replaces a lost event with the current state of the receipt. */
function lostEvent(
  retailer: string,
  id: string,
  version: number,
  data: ReceiptFigures,
  time: string,
): ReceiptEvent {
  const facts = { id, retailer, subject: id, sequence: version, time, correlationid: id };
  return { ...facts, type: 'receipt.revised', data };
}

/** Wraps a handler so that it also records the arrivals whose events were received. */
export function recordingArrivals(
  handle: (events: readonly ReceiptEvent[]) => Promise<void>,
  catchUp: Pick<GapRecovery<ChangedReceipt>, 'recordArrival'>,
): (events: readonly ReceiptEvent[]) => Promise<void> {
  return async (events) => {
    await handle(events);
    for (const { type, retailer, data } of events) {
      if (type === 'receipt.recorded') catchUp.recordArrival(retailer, data.arrival);
    }
  };
}
