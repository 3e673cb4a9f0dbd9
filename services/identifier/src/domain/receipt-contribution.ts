import type { receiptDeleted, receiptRecorded, receiptRevised } from '@receipts/contracts';
import type { EventOf } from '@receipts/kernel';

export type ReceiptEvent = EventOf<typeof receiptRecorded | typeof receiptRevised>;

/**
 * The contribution of a receipt to the summary of its consumer. There is one record per receipt, replaced only by a
 * later version of the same receipt, so events that are repeated, late or out of order have no effect.
 */
export interface ReceiptContribution {
  readonly receiptId: string;
  readonly retailer: string;
  readonly version: number;
  readonly identifier: string | null;
  readonly total: number;
  readonly currency: string;
  readonly timestamp: string;
  /** Duplicates and voided receipts are not counted as purchases. */
  readonly counted: boolean;
}

/** The contribution of a receipt after the change that an event describes. */
export function contributionOf(event: ReceiptEvent): ReceiptContribution {
  const facts = event.data;
  return {
    receiptId: facts.id,
    retailer: event.retailer,
    version: event.sequence,
    identifier: facts.identifier,
    total: facts.total,
    currency: facts.currency,
    timestamp: facts.timestamp,
    counted: !facts.duplicate && !facts.voided,
  };
}

/** The deletion of a receipt: the event, or its replacement if the event was lost. */
export interface Deletion extends Pick<EventOf<typeof receiptDeleted>, 'retailer' | 'sequence'> {
  readonly data: { readonly id: string; readonly deleted_timestamp: string };
}

/** The contribution of a deleted receipt: it has no consumer, and its version makes earlier events ineffective. */
export function deletedContribution(event: Deletion): ReceiptContribution {
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
 * True for the first version of a receipt without a consumer. It need not be stored, because it does not belong to a
 * summary and every later version replaces it.
 */
export function hasNoConsumer({ version, identifier }: ReceiptContribution): boolean {
  return version === 1 && identifier === null;
}

/** The newest contribution of each receipt, so that one write contains only one per receipt. */
export function newestContributions(contributions: readonly ReceiptContribution[]): ReceiptContribution[] {
  const newest = new Map<string, ReceiptContribution>();
  for (const contribution of contributions) {
    const known = newest.get(contribution.receiptId);
    if (!known || known.version < contribution.version) newest.set(contribution.receiptId, contribution);
  }
  return [...newest.values()];
}
