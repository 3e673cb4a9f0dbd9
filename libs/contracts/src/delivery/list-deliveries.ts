import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { consumerParameter } from '../shared/fields';
import { receiptParams } from '../receipt/receipt-links';
import { processingPending, receiptDeletedError, receiptNotFound } from '../receipt/errors';
import { delivery } from './delivery';
import { channels } from '../shared/channels';

/** Answers the question "where is my receipt?": shows what was sent and why something was not sent. */
export const listDeliveries = defineQuery({
  name: 'delivery.list-deliveries',
  summary: 'List the deliveries of a receipt',
  description:
    'Returns the deliveries of a receipt, newest first, and explains whether it can be sent. With `consumer`, a receipt of another consumer causes 404. Deliveries are deleted with their receipt, or 400 days after their last change.',
  permission: 'view.get_receipt',
  forStores: 'confined',
  forConsumers: 'confined',
  http: { method: 'GET', path: '/receipts/{id}/deliveries', success: 200, consumerScoped: true },
  params: receiptParams,
  query: z.object({ consumer: consumerParameter }),
  output: z.object({
    deliveries: z.array(delivery).describe('The deliveries of the receipt, newest first.'),
    explain: z
      .array(
        z.object({
          channel: z.enum(channels).describe('The channel that was checked.'),
          step: z.string().describe('The check: settings, opt-outs, address or availability, in this order.'),
          passed: z.boolean().describe('Whether the channel has passed the check.'),
          detail: z.string().describe('The result of the check in words.'),
        }),
      )
      .describe('The checks of each channel that decide whether the receipt can be sent now.'),
  }),
  errors: [receiptNotFound, processingPending, receiptDeletedError],
});
