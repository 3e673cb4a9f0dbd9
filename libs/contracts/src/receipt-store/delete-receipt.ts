import { concurrentWrite, defineCommand, preconditionFailed } from '@receipts/kernel';
import { z } from 'zod';
import { processingPending, receiptNotFound } from '../receipt/errors';
import { ifMatchHeaders } from '../shared/fields';

/** Deletes a receipt permanently: for legal reasons, at the consumer's request, or because it was a mistake. */
export const deleteReceipt = defineCommand({
  name: 'receipt-store.delete-receipt',
  summary: 'Delete a receipt',
  description:
    'For good: nothing of what it said is kept. Lists and searches no longer show it, and GET answers 410. Its `transaction_id`, and its ' +
    '`external_id` where it has one, stay taken, so that it does not come back when its till posts it once more. Deleting it again is a success. ' +
    'With `If-Match` only that version is deleted.',
  permission: 'view.delete_receipt',
  http: { method: 'DELETE', path: '/receipts/{id}', success: 204 },
  params: z.object({ id: z.string() }),
  headers: ifMatchHeaders,
  errors: [receiptNotFound, processingPending, concurrentWrite, preconditionFailed],
});
