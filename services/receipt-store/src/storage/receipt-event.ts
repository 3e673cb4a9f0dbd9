import type { ReceiptFacts, ReturnedReceipt } from '@receipts/contracts';

/** What every event of a receipt says of it. */
export function factsOf(receipt: ReturnedReceipt): ReceiptFacts {
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
