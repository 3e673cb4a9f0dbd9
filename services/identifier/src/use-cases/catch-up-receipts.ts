import { changesSource, type ChangedReceipt, type ReceiptFigures } from '@receipts/contracts';
import type { Broker } from '@receipts/messaging';
import { CatchUp, type CatchUpOptions } from '@receipts/storage';
import type { Deletion, ReceiptEvent } from '../domain/receipt-share';

export interface CatchUpParts extends Pick<
  CatchUpOptions<ChangedReceipt>,
  'places' | 'witness' | 'lease' | 'log' | 'delayMs'
> {
  readonly ask: Broker['ask'];
  readonly changed: (events: readonly ReceiptEvent[]) => Promise<void>;
  readonly deleted: (events: readonly Deletion[]) => Promise<void>;
  readonly now: () => Date;
}

/** Brings what is derived from receipts up to date with their owner, whatever became of the events. */
export function catchUpReceipts(parts: CatchUpParts): CatchUp<ChangedReceipt> {
  const { ask, changed, deleted, now, ...rest } = parts;
  return new CatchUp<ChangedReceipt>({
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

/**
 * What takes the place of the events that were lost: the receipt as it is.
 * @param time before its owner was asked; whoever was erased since stays erased
 */
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

/** The same handler, which also notes which arrivals were heard of. */
export function noting(
  handle: (events: readonly ReceiptEvent[]) => Promise<void>,
  catchUp: Pick<CatchUp<ChangedReceipt>, 'note'>,
): (events: readonly ReceiptEvent[]) => Promise<void> {
  return async (events) => {
    await handle(events);
    for (const { type, retailer, data } of events) {
      if (type === 'receipt.recorded') catchUp.note(retailer, data.arrival);
    }
  };
}
