import { defineQuery } from '@receipts/kernel';
import { z } from 'zod';
import { processingPending, receiptDeletedError, receiptNotFound } from '../receipt/errors';
import { receiptParams } from '../receipt/receipt-links';
import { consumerParameter } from '../shared/fields';

const returnableItem = z.object({
  index: z.int().describe('The index of the item in the `items` of the receipt, from 0.'),
  name: z.string().describe('The name of the item.'),
  unit: z.string().nullable().describe('The unit of the quantities.'),
  quantity: z.number().describe('The quantity that was sold.'),
  returned_quantity: z.number().describe('The quantity that was returned.'),
  returnable_quantity: z.number().describe('The quantity that can still be returned.'),
  unit_price: z
    .number()
    .nullable()
    .describe(
      'The total of the item divided by its quantity, rounded half to even to the minor unit of the currency; `null` if the quantity is 0.',
    ),
  returnable_total: z.number().describe('The part of the total that corresponds to the returnable quantity.'),
});

export type ReturnableItem = z.output<typeof returnableItem>;

export const getReturnable = defineQuery({
  name: 'receipt-store.get-returnable',
  summary: 'Get the returnable items',
  description:
    'Returns the items of a sale, each with the quantity that was returned and the quantity that can still be returned. Returned items are the items of receipts whose `related` refers to this receipt with type `return` or `exchange`, and the items of the receipt itself that have `return`. They are matched by `properties.product_code`, ' +
    'otherwise by name. Items of a voided sale cannot be returned.',
  permission: 'view.get_receipt',
  forStores: 'confined',
  forConsumers: 'confined',
  http: { method: 'GET', path: '/receipts/{id}/returnable', success: 200, consumerScoped: true },
  params: receiptParams,
  query: z.object({ consumer: consumerParameter }),
  output: z.object({
    receipt_id: z.string().describe('The id of the sale.'),
    currency: z.string().describe('The currency of the amounts.'),
    items: z
      .array(returnableItem)
      .describe('The items that were sold, in the order in which they appear on the receipt.'),
  }),
  errors: [receiptNotFound, processingPending, receiptDeletedError],
});
