import { changesSource, type ChangedReceipt } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import { GapRecovery, type GapRecoveryOptions } from '@receipts/storage';
import type { Recorded } from './on-receipt-created';

export interface CatchUpReceiptsDependencies extends Pick<
  GapRecoveryOptions<ChangedReceipt>,
  'cursors' | 'lease' | 'log' | 'delayMs'
> {
  readonly ask: Broker['ask'];
  readonly created: (events: readonly Recorded[]) => Promise<readonly (Error | undefined)[]>;
  readonly deleted: (retailer: string, receipts: readonly string[]) => Promise<void>;
  readonly now: () => Date;
}

/** The maximum age of a missed receipt that is still sent; consumers no longer expect an older one. */
export const lateMailMaxMs = 24 * 60 * 60_000;
const serverErrors = 500;

const isDeleted = ({ figures }: ChangedReceipt) => figures === null;

/**
 * Sends receipts that should have been sent on arrival but whose event was lost, and handles deletions whose event was
 * lost. Receipts whose event arrived are not sent again, because the current settings, opt-outs and addresses may differ.
 */
export function catchUpReceipts(deps: CatchUpReceiptsDependencies): GapRecovery<ChangedReceipt> {
  const { ask, created, deleted, log, now, ...rest } = deps;
  return new GapRecovery<ChangedReceipt>({
    ...rest,
    log,
    now,
    name: 'receipts to send',
    ...changesSource(ask, 'delivery'),
    appliesLater: isDeleted,
    async apply(retailer, changes) {
      const gone = changes.filter(isDeleted).map(({ id }) => id);
      if (gone.length > 0) await deleted(retailer, gone);
      const since = now().getTime() - lateMailMaxMs;
      const events = changes.flatMap((change) => lostEvent(retailer, change, since));
      for (const error of events.length > 0 ? await created(events) : []) {
        // Temporary failures are retried; permanent failures must not block the other receipts.
        if (error instanceof ServiceError && error.status >= serverErrors) throw error;
        if (error) log.error('a missed receipt could not be sent', { retailer, error });
      }
    },
  });
}

/** Empty if the receipt was deleted or arrived too long ago. */
function lostEvent(
  retailer: string,
  { id, arrival, arrived_timestamp: arrivedAt, confined_to: confinedTo, figures }: ChangedReceipt,
  since: number,
): Recorded[] {
  if (!figures || arrivedAt === null || Date.parse(arrivedAt) < since) return [];
  const data = { ...figures, arrival, ...(confinedTo && { confined_to: confinedTo }) };
  // The event has the id of the original event, so that both together cause only one delivery.
  return [
    {
      id,
      type: 'receipt.recorded',
      retailer,
      subject: id,
      sequence: 1,
      time: arrivedAt,
      correlationid: id,
      data,
    },
  ];
}
