import { defineCommand } from '@receipts/kernel';
import { z } from 'zod';
import { processingPending, receiptDeletedError, receiptNotFound } from '../receipt/errors';
import { receiptLinks, receiptParams } from '../receipt/receipt-links';

/** For a link that reached the wrong person. */
export const revokeReceiptLinks = defineCommand({
  name: 'delivery.revoke-receipt-links',
  summary: "Revoke the links to a receipt's renderings",
  description: 'Invalidates all links of the receipt and returns new links.',
  permission: 'view.send_receipt',
  forStores: 'confined',
  forConsumers: 'confined',
  http: { method: 'POST', path: '/receipts/{id}/links/_revoke', success: 200 },
  params: receiptParams,
  output: z.object({
    _links: receiptLinks
      .nullable()
      .describe('The new links; `null` if the request is a retry with the same `Idempotency-Key`.'),
  }),
  errors: [receiptNotFound, processingPending, receiptDeletedError],
});
