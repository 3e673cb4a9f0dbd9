import { defineQuery, flag, vector } from '@receipts/kernel';
import { z } from 'zod';
import { processingPending, receiptDeletedError, receiptNotFound } from '../receipt/errors';
import { delivery } from './delivery';
import { channels } from '../shared/channels';

/** Answers the question "where is my receipt?": shows what was sent, and why the rest was not. */
export const listDeliveries = defineQuery({
  name: 'delivery.list-deliveries',
  summary: 'List the deliveries of a receipt',
  description:
    'Newest first. With `consumer` a receipt of somebody else is 404. `explain` walks through settings, opt-outs, address and availability of each channel, in this order.',
  permission: 'view.get_receipt',
  http: { method: 'GET', path: '/receipts/{id}/deliveries', success: 200, consumerScoped: true },
  params: z.object({ id: z.string() }),
  query: z.object({
    consumer: vector({ max: 5, description: 'Identifiers of the consumer.' }).optional(),
    pretty: flag().optional(),
  }),
  output: z.object({
    deliveries: z.array(delivery),
    explain: z.array(
      z.object({ channel: z.enum(channels), step: z.string(), passed: z.boolean(), detail: z.string() }),
    ),
  }),
  errors: [receiptNotFound, processingPending, receiptDeletedError],
});
