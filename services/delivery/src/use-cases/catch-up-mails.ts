import { changesSource, type ChangedReceipt } from '@receipts/contracts';
import { ServiceError } from '@receipts/kernel';
import type { Broker } from '@receipts/messaging';
import { CatchUp, type CatchUpOptions } from '@receipts/storage';
import type { Recorded } from './on-receipt-created';

export interface CatchUpMailsParts extends Pick<
  CatchUpOptions<ChangedReceipt>,
  'places' | 'lease' | 'log' | 'delayMs'
> {
  readonly ask: Broker['ask'];
  readonly created: (events: readonly Recorded[]) => Promise<readonly (Error | undefined)[]>;
  readonly now: () => Date;
}

/** A receipt that was missed is sent as late as this after its arrival; later nobody expects it any more. */
export const lateMailMaxMs = 24 * 60 * 60_000;
const serverErrors = 500;

/**
 * Sends the receipts that are to be sent on arrival and of whose arrival nobody has heard. What was heard of is not judged
 * again: settings, opt-outs and addresses of today say nothing about it.
 */
export function catchUpMails(parts: CatchUpMailsParts): CatchUp<ChangedReceipt> {
  const { ask, created, log, now, ...rest } = parts;
  return new CatchUp<ChangedReceipt>({
    ...rest,
    log,
    now,
    name: 'mails on arrival',
    ...changesSource(ask, 'delivery'),
    arrivalsOnly: true,
    async apply(retailer, changes) {
      const since = now().getTime() - lateMailMaxMs;
      const events = changes.flatMap((change) => lostEvent(retailer, change, since));
      for (const error of events.length > 0 ? await created(events) : []) {
        // What passes by waiting is tried again; what does not must not hold up the others.
        if (error instanceof ServiceError && error.status >= serverErrors) throw error;
        if (error) log.error('a receipt that was missed cannot be sent', { retailer, error: error.name });
      }
    },
  });
}

/** None for a receipt that was deleted, or that arrived too long ago. */
function lostEvent(
  retailer: string,
  { id, arrival, arrived_timestamp: arrivedAt, confined_to: confinedTo, figures }: ChangedReceipt,
  since: number,
): Recorded[] {
  if (!figures || arrivedAt === null || Date.parse(arrivedAt) < since) return [];
  const data = { ...figures, arrival, ...(confinedTo && { confined_to: confinedTo }) };
  // The id that the event had, so that the two together are one delivery.
  return [
    {
      ...{ id, type: 'receipt.recorded', retailer, subject: id, sequence: 1 },
      time: arrivedAt,
      correlationid: id,
      data,
    },
  ];
}
