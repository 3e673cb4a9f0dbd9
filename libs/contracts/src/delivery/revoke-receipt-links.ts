import { defineCommand } from '@receipts/kernel';
import { z } from 'zod';
import { processingPending, receiptDeletedError, receiptNotFound } from '../receipt/errors';
import { receiptLinks } from '../receipt/receipt-links';

/** For a link that reached the wrong person. */
export const revokeReceiptLinks = defineCommand({
  name: 'delivery.revoke-receipt-links',
  summary: "Revoke the links of a receipt's renderings",
  description:
    'All links that were given out so far lead nowhere any more. The answer has new ones; a repeated answer has null in their place.',
  permission: 'view.send_receipt',
  http: { method: 'POST', path: '/receipts/{id}/links/_revoke', success: 200 },
  params: z.object({ id: z.string() }),
  output: z.object({ _links: receiptLinks.nullable() }),
  errors: [receiptNotFound, processingPending, receiptDeletedError],
});
