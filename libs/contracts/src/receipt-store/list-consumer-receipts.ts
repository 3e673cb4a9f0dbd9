import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { returnedReceipt } from '../receipt';

export const consumerReceiptsMax = 200;

const request = z.object({
  identifier: z.string(),
  after: z.int().min(0),
  count: z.int().min(1).max(consumerReceiptsMax),
});

export type ConsumerReceiptsRequest = z.output<typeof request>;

/** Pages of a consumer's receipts, for the export of a person's data. */
export const listConsumerReceipts = defineQuery({
  name: 'receipt-store.list-consumer-receipts',
  summary: "List a consumer's receipts",
  description:
    'Internal. Returns receipts in order of arrival. `after` is 0 at first, then the `next` of the previous response, which is null in the last response.',
  body: request,
  output: z.object({ receipts: z.array(returnedReceipt), next: z.int().nullable() }),
});
