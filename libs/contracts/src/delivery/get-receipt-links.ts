import { defineQuery, flag, vector } from '@receipts/kernel';
import { z } from 'zod';
import { processingPending, receiptDeletedError, receiptNotFound } from '../receipt/errors';
import { receiptLinks } from '../receipt/receipt-links';

/** For retailers whose responses to POST /receipts have no links, and for receipts converted from raw data. */
export const getReceiptLinks = defineQuery({
  name: 'delivery.get-receipt-links',
  summary: "Get the links of a receipt's renderings",
  description: 'The page for the consumer, its QR code and the PDF. The links need no credential.',
  permission: 'view.get_receipt',
  http: { method: 'GET', path: '/receipts/{id}/links', success: 200, consumerScoped: true },
  params: z.object({ id: z.string() }),
  query: z.object({
    consumer: vector({ max: 5, description: 'Identifiers of the consumer.' }).optional(),
    pretty: flag().optional(),
  }),
  output: z.object({ _links: receiptLinks }),
  errors: [receiptNotFound, processingPending, receiptDeletedError],
});
