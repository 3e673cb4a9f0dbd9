import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { consumerParameter } from '../shared/fields';
import { processingPending, receiptDeletedError, receiptNotFound } from '../receipt/errors';
import { receiptLinks, receiptParams } from '../receipt/receipt-links';

/** For retailers whose responses to POST /receipts have no links, and for receipts converted from raw data. */
export const getReceiptLinks = defineQuery({
  name: 'delivery.get-receipt-links',
  summary: "Get the links to a receipt's renderings",
  description:
    'Returns links to the web page for the consumer, its QR code and the PDF. The links need no credential.',
  permission: 'view.get_receipt',
  forStores: 'confined',
  forConsumers: 'confined',
  http: { method: 'GET', path: '/receipts/{id}/links', success: 200, consumerScoped: true },
  params: receiptParams,
  query: z.object({ consumer: consumerParameter }),
  output: z.object({ _links: receiptLinks }),
  errors: [receiptNotFound, processingPending, receiptDeletedError],
});
