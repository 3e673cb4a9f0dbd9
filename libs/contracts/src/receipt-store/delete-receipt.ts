import { concurrentWrite, defineCommand, preconditionFailed } from '@receipts/kernel';
import { receiptParams } from '../receipt/receipt-links';
import { processingPending, receiptNotFound } from '../receipt/errors';
import { ifMatchHeaders } from '../shared/fields';

/** Deletes a receipt permanently: for legal reasons, at the consumer's request, or because it was a mistake. */
export const deleteReceipt = defineCommand({
  name: 'receipt-store.delete-receipt',
  summary: 'Delete a receipt',
  description:
    'Permanently deletes a receipt with all its data, and the addresses that it was sent to. The raw data and the attachments that only this receipt needed are deleted as well. Lists and searches no longer contain it, and GET returns 410. Its `transaction_id` and `external_id` stay reserved, so posting the receipt again does not restore it. Deleting a deleted receipt succeeds without effect.',
  permission: 'view.delete_receipt',
  forStores: 'confined',
  forConsumers: 'confined',
  http: { method: 'DELETE', path: '/receipts/{id}', success: 204 },
  params: receiptParams,
  headers: ifMatchHeaders,
  errors: [receiptNotFound, processingPending, concurrentWrite, preconditionFailed],
});
