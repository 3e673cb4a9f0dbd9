import { receiptAssigned, receiptDeleted, receiptUpdated, type ReturnedReceipt } from '@receipts/contracts';
import type { PrintedEvent } from '@receipts/kernel';
import { createdOrigin } from './arrivals';
import type { DeletedReceipt, ReceiptDocument, Told } from './receipt-document';
import { assignedEvent, createdEvent, deletedEvent, updatedEvent } from './receipt-event';

/** Nobody changes a receipt more often between two looks at what was told. */
const toldMax = 12;

/** What can be told again after a change: also of the changes right before, as they may be lost together. */
export function toldOf(
  before: readonly Told[],
  events: readonly PrintedEvent[],
  version: number,
): readonly Told[] {
  const told = events
    .filter(({ isInternal }) => !isInternal)
    .map(({ id, type, at, correlationId: request, traceparent: trace }) => ({
      ...{ id, type, version, at: new Date(at), request },
      ...(trace !== undefined && { trace }),
    }));
  return [...before, ...told].slice(-toldMax);
}

/** What the events of a receipt are made of. */
export type ToldReceipt = Pick<ReceiptDocument, '_id' | 'retailer' | 'version' | 'told' | 'transaction_id'> &
  Partial<Pick<ReceiptDocument, 'created' | 'text' | 'form'> & Pick<DeletedReceipt, 'deleted_at'>>;

/** The ids of the events that `toldAgain` gives. */
export function toldIds({ created, told = [] }: Pick<ToldReceipt, 'created' | 'told'>): string[] {
  return [...(created ? [created.event] : []), ...told.map(({ id }) => id)];
}

/** The events that were told of a receipt, as they were but for the receipt, which they show as it is now. */
export function toldAgain(document: ToldReceipt): PrintedEvent[] {
  const { _id: id, retailer, transaction_id, text, told = [] } = document;
  const receipt = text === undefined ? undefined : (JSON.parse(text) as ReturnedReceipt);
  const created = createdOrigin(document);
  const first = created && receipt && text !== undefined ? [createdEvent(receipt, text, created)] : [];
  const later = told.flatMap(({ id: event, type, version, at, request, trace }) => {
    const origin = { id: event, at, retailer, requestId: request };
    const traced = trace === undefined ? origin : { ...origin, traceparent: trace };
    if (type === receiptDeleted.type) return [deletedEvent({ id, transaction_id, version }, traced)];
    if (!receipt || text === undefined) return [];
    if (type === receiptUpdated.type) return [updatedEvent({ receipt, text, version }, traced)];
    return type === receiptAssigned.type ? [assignedEvent({ receipt, version }, traced)] : [];
  });
  return [...first, ...later];
}
