import {
  adminContracts,
  changesMax,
  receiptStoreContracts,
  type ChangedReceipt,
  type ReceiptFigures,
} from '@receipts/contracts';
import { ownCall } from '@receipts/kernel';
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

const askTimeoutMs = 5_000;
const retailersAtOnce = 500;

/** Brings what is derived from receipts up to date with their owner, whatever became of the events. */
export function catchUpReceipts(parts: CatchUpParts): CatchUp<ChangedReceipt> {
  const { ask, changed, deleted, now, ...rest } = parts;
  const callFor = (retailer?: string) => ownCall('identifier', Date.now(), askTimeoutMs, retailer);
  return new CatchUp<ChangedReceipt>({
    ...rest,
    now,
    name: 'summaries and rewards',
    async *retailers() {
      for (let after: string | null | undefined; after !== null;) {
        const body = { count: retailersAtOnce, ...(after !== undefined && { after }) };
        const page = (await ask(adminContracts.listRetailers, { body }, callFor())).body;
        yield page.retailers.map(({ id }) => id);
        after = page.next;
      }
    },
    async read(retailer, { after, arrived }) {
      const body = { after, arrived, count: changesMax };
      return (await ask(receiptStoreContracts.listChanges, { body }, callFor(retailer))).body;
    },
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
