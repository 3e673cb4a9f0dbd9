import type { receiptDeleted, receiptRecorded, receiptRevised } from '@receipts/contracts';
import type { EventOf } from '@receipts/kernel';

export type ReceiptEvent = EventOf<typeof receiptRecorded | typeof receiptRevised>;

/**
 * What one receipt adds to the summary of its consumer. One record a receipt, replaced only by a later version of the
 * same receipt: so an event that comes twice, late or out of order changes nothing.
 */
export interface ReceiptShare {
  readonly receiptId: string;
  readonly retailer: string;
  readonly version: number;
  readonly identifier: string | null;
  readonly total: number;
  readonly currency: string;
  readonly timestamp: string;
  /** Duplicates are receipts, but no purchases. */
  readonly counted: boolean;
}

/** The share that a receipt has after the change that an event tells of. */
export function shareOf(event: ReceiptEvent): ReceiptShare {
  const facts = event.data;
  return {
    receiptId: facts.id,
    retailer: event.retailer,
    version: event.sequence,
    identifier: facts.identifier,
    total: facts.total,
    currency: facts.currency,
    timestamp: facts.timestamp,
    counted: !facts.duplicate,
  };
}

/** That a receipt was deleted: an event, or what takes the place of one that was lost. */
export interface Deletion extends Pick<EventOf<typeof receiptDeleted>, 'retailer' | 'sequence'> {
  readonly data: { readonly id: string; readonly deleted_timestamp: string };
}

/** The share of a receipt that was deleted: nobody's, so that an event from before changes nothing any more. */
export function deletedShare(event: Deletion): ReceiptShare {
  return {
    receiptId: event.data.id,
    retailer: event.retailer,
    version: event.sequence,
    identifier: null,
    total: 0,
    currency: '',
    timestamp: event.data.deleted_timestamp,
    counted: false,
  };
}

/**
 * True for the first version of a receipt of nobody: whether it is kept or not, nobody's summary has it, and every later
 * version takes its place.
 */
export function hasNoConsumer({ version, identifier }: ReceiptShare): boolean {
  return version === 1 && identifier === null;
}

/** The newest share of each receipt, so that one write need not tell several of the same receipt apart. */
export function newestShares(shares: readonly ReceiptShare[]): ReceiptShare[] {
  const newest = new Map<string, ReceiptShare>();
  for (const share of shares) {
    const known = newest.get(share.receiptId);
    if (!known || known.version < share.version) newest.set(share.receiptId, share);
  }
  return [...newest.values()];
}
