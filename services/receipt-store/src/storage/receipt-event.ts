import type {
  receiptAssigned,
  receiptCreated,
  receiptUpdated,
  ReceiptFacts,
  ReturnedReceipt,
} from '@receipts/contracts';
import { eventOf, type Call } from '@receipts/kernel';
import { outboxItem, type OutboxItem } from '@receipts/storage';

/** What every event of a receipt says of it. */
function factsOf(receipt: ReturnedReceipt): ReceiptFacts {
  return {
    id: receipt.id,
    transaction_id: receipt.transaction_id,
    external_id: receipt.external_id,
    identifier: receipt.identifier,
    store_reference: receipt.store_reference,
    timestamp: receipt.timestamp,
    total: receipt.total,
    currency: receipt.l10n.currency,
    duplicate: receipt.duplicate,
  };
}

/** The receipt comes last in the data, and the data last in the event. */
const end = '}}';

/**
 * The event that shows a whole receipt, ready for the outbox. The receipt was printed already, and printing it is what
 * costs most in storing it, so its text is put into the text of the event.
 * @param version of the receipt after the change
 */
export function receiptEventItem(
  shape: typeof receiptCreated | typeof receiptUpdated,
  receipt: ReturnedReceipt,
  text: string,
  version: number,
  call: Call,
  now: Date,
): OutboxItem {
  const facts = factsOf(receipt);
  const data = facts as ReceiptFacts & { readonly receipt: ReturnedReceipt };
  const event = eventOf(shape, { subject: receipt.id, sequence: version, data }, call, now);
  const body = JSON.stringify(event);
  if (!body.endsWith(end)) throw new Error('the data do not stand at the end of the event');
  return outboxItem(event, `${body.slice(0, -end.length)},"receipt":${text}${end}`);
}

/**
 * An event that says only the facts of a receipt.
 * @param version of the receipt after the change
 */
export function receiptFactsItem(
  shape: typeof receiptAssigned,
  receipt: ReturnedReceipt,
  version: number,
  call: Call,
  now: Date,
): OutboxItem {
  const facts = { subject: receipt.id, sequence: version, data: factsOf(receipt) };
  return outboxItem(eventOf(shape, facts, call, now));
}
